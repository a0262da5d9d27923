// What the suite's servers say of Manila as their client.
//
// node clients.mjs OUT REQUIREMENTS EXCEPTIONS
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { count, findException, readChecks, readExceptions, readRequirements, reason, say, table } from './results.mjs';

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
say();

for (const { name, revision, scenario, scored, scenarios } of runs) {
  const checks = [...scenarios.values()].flat();
  if (checks.length === 0) report(scored, revision, scenario, 'no-results', `no results; see ${join(out, name, 'suite.stderr')}`);
  for (const check of checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')) {
    report(scored, revision, scenario, check.id, `${check.name}: ${check.status}: ${reason(check)}`);
  }
}
say(`conformance of the client: ${failures === 0 ? 'all that is scored passed' : `${failures} failed`}`);
process.exitCode = failures === 0 ? 0 : 1;

function report(scored, revision, scenario, check, message) {
  const line = `${revision} client ${scenario} ${check}: ${message}`;
  const exception = findException(exceptions, revision, 'client', scenario, check);
  if (exception) return say(`except  ${line}\n        ${exception.why}`);
  if (!scored) return say(`note    ${line} [not scored]`);
  failures += 1;
  return say(`FAIL    ${line}`);
}
