// Reports the suite's results for Manila as a client.
//
// node clients.mjs OUT REQUIREMENTS EXCEPTIONS
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { count, findException, print, readChecks, readExceptions, readRequirements, reason, table } from './results.mjs';

const [out, requirementsFolder, exceptionsFile] = process.argv.slice(2);
const exceptions = readExceptions(exceptionsFile);
let failures = 0;

const runs = readdirSync(out)
  .filter((name) => /^\d{4}-\d\d-\d\d\./.test(name))
  .sort()
  .map((name) => {
    const [, revision, scenario] = /^([\d-]+)\.(.*)$/.exec(name);
    const scored = readRequirements(requirementsFolder, revision, 'client').scored.has(scenario);
    return { name, revision, scenario, scored, scenarios: readChecks(join(out, name, 'results')) };
  });

const rows = [['revision', 'scenario', 'scored', 'passed', 'failed', 'warnings', 'info', 'skipped']];
for (const { revision, scenario, scored, scenarios } of runs) {
  const all = count(scenarios);
  rows.push([revision, scenario, scored ? 'yes' : 'no', all.SUCCESS, all.FAILURE, all.WARNING, all.INFO, all.SKIPPED]);
}
table(rows);
print();

for (const { name, revision, scenario, scored, scenarios } of runs) {
  const checks = [...scenarios.values()].flat();
  if (checks.length === 0) report(scored, revision, scenario, 'no-results', `no results; see ${join(out, name, 'suite.stderr')}`);
  for (const check of checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')) {
    report(scored, revision, scenario, check.id, `${check.name}: ${check.status}: ${reason(check)}`);
  }
}
print(`conformance of the client: ${failures === 0 ? 'all scored checks passed' : `${failures} failed`}`);
process.exitCode = failures === 0 ? 0 : 1;

function report(scored, revision, scenario, check, message) {
  const line = `${revision} client ${scenario} ${check}: ${message}`;
  const exception = findException(exceptions, revision, 'client', scenario, check);
  if (exception) return print(`except  ${line}\n        ${exception.why}`);
  if (!scored) return print(`note    ${line} [not scored]`);
  failures += 1;
  return print(`FAIL    ${line}`);
}
