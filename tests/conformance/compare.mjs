// Reports the checks that pass directly but not through Manila.
//
// node compare.mjs OUT REQUIREMENTS EXCEPTIONS INFORMATIVE-WAYS SETS WAYS
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { count, findException, print, readChecks, readExceptions, readRequirements, reason, table } from './results.mjs';

const [out, requirementsFolder, exceptionsFile, informative, sets, ways] = process.argv.slice(2);
const split = (text) => text.split(/\s+/).filter(Boolean);
const exceptions = readExceptions(exceptionsFile);
const runs = split(sets).flatMap((set) => split(ways).map((way) => readRun(set, way)));
let failures = 0;

printTable();
printScored();
printOwnFailures();
printDifferences();
printUnused();
const tried = runs.some(({ way }) => way !== 'direct') ? 'nothing is worse through Manila' : 'the fixture passes; nothing was tried through Manila';
print(`conformance: ${failures === 0 ? tried : `${failures} failed`}`);
process.exitCode = failures === 0 ? 0 : 1;

function readRun(set, way) {
  const cell = join(out, `${set}.${way}`);
  const trouble = existsSync(join(cell, 'trouble')) ? readFileSync(join(cell, 'trouble'), 'utf8').trim() : '';
  return { set, way, trouble, scenarios: readChecks(join(cell, 'results')), binding: !split(informative).includes(way) };
}

function requirements(set) {
  requirements[set] ??= readRequirements(requirementsFolder, set, 'server');
  return requirements[set];
}

function printTable() {
  const rows = [['requirements', 'way', 'passed', 'failed', 'warnings', 'info', 'skipped', 'scored passed', 'scored failed']];
  for (const { set, way, scenarios } of runs) {
    const all = count(scenarios);
    const scored = count(scenarios, (scenario) => requirements(set).scored.has(scenario));
    rows.push([set, way, all.SUCCESS, all.FAILURE, all.WARNING, all.INFO, all.SKIPPED, scored.SUCCESS, scored.FAILURE]);
  }
  table(rows);
  print();
}

function printScored() {
  for (const set of split(sets)) {
    const { scored, unscored } = requirements(set);
    print(`${set}: ${scored.size} scenarios are scored; run, but not scored: ${unscored.map((entry) => `${entry.scenario} (${entry.reason})`).join(', ')}`);
  }
  print();
}

/** Reports failures of the fixture itself, which must pass all checks to be a reference. */
function printOwnFailures() {
  for (const { set, way, trouble, scenarios } of runs.filter((run) => run.way === 'direct')) {
    if (trouble) fail(`${set} ${way}: ${trouble}`);
    if (!trouble && scenarios.size === 0) fail(`${set} ${way}: the suite has left no results; see ${join(out, `${set}.${way}`, 'suite.stderr')}`);
    for (const [scenario, checks] of scenarios) {
      for (const check of checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')) {
        fail(`${set} ${way} ${scenario} ${check.id}: ${check.status}: ${reason(check)}`);
      }
    }
  }
}

function printDifferences() {
  for (const run of runs.filter(({ way }) => way !== 'direct')) {
    const direct = runs.find(({ set, way }) => set === run.set && way === 'direct');
    if (run.trouble) (run.binding ? fail : note)(`${run.set} ${run.way}: ${run.trouble}`);
    if (run.trouble && run.scenarios.size === 0) continue;
    for (const [scenario, checks] of direct?.scenarios ?? []) {
      const through = run.scenarios.get(scenario) ?? [];
      for (const check of checks.filter(({ status }) => status === 'SUCCESS')) {
        compare(run, scenario, check, through.find(({ key }) => key === check.key));
      }
    }
  }
}

function compare(run, scenario, check, other) {
  const status = other?.status ?? 'absent';
  if (status === 'SUCCESS') return;
  const exception = findException(exceptions, run.set, run.way, scenario, check.id);
  const scored = requirements(run.set).scored.has(scenario);
  const worse = !['INFO', 'SKIPPED'].includes(status);
  const line = `${run.set} ${run.way} ${scenario} ${check.id} (${check.name}): ${status}: ${reason(other ?? scenarioFailure(run, scenario))}`;
  if (exception) print(`except  ${line}\n        ${exception.why}`);
  else if (worse && scored && run.binding) fail(line);
  else note(scored ? line : `${line} [not scored]`);
}

/** Returns the failure that ended a scenario, which explains more than the checks that it did not reach. */
function scenarioFailure(run, scenario) {
  return (run.scenarios.get(scenario) ?? []).find(({ status }) => status === 'FAILURE');
}

function printUnused() {
  for (const { line } of exceptions.filter(({ used }) => used === 0)) note(`not needed in this run: the exception \`${line}\``);
}

function fail(line) {
  failures += 1;
  print(`FAIL    ${line}`);
}

function note(line) {
  print(`note    ${line}`);
}
