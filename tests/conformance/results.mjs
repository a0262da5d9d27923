// Reads the suite's results: the checks of each scenario, the requirement sets, and the exceptions.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

// Entries that are not checks, but records of messages on the wire.
const RECORDS = /^(incoming|outgoing)-|^stream-closed$|^server-info$/;

/** Returns the checks by scenario, from folders named after the scenario and the time. */
export function readChecks(folder) {
  const scenarios = new Map();
  if (!existsSync(folder)) return scenarios;
  for (const name of readdirSync(folder, { recursive: true }).map(String).filter((path) => path.endsWith('checks.json')).sort()) {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[^/]*\/checks\.json$/, '');
    const checks = JSON.parse(readFileSync(join(folder, name), 'utf8')).filter((check) => !RECORDS.test(check.id) || check.status === 'FAILURE');
    scenarios.set(scenario, numbered(checks));
  }
  return scenarios;
}

/** Numbers the checks. Several may have the same id; the id, name and number identify a check in another run. */
function numbered(checks) {
  const seen = new Map();
  return checks.map((check) => {
    const key = `${check.id}/${check.name}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return { ...check, key: `${key}#${seen.get(key)}` };
  });
}

export function count(scenarios, isCounted = () => true) {
  const total = { SUCCESS: 0, FAILURE: 0, WARNING: 0, INFO: 0, SKIPPED: 0 };
  for (const [scenario, checks] of scenarios) {
    if (isCounted(scenario)) for (const { status } of checks) total[status] += 1;
  }
  return total;
}

export function reason(check) {
  const message = check?.errorMessage ?? check?.details?.message ?? check?.details?.note ?? check?.description ?? 'not reached';
  return String(message).replace(/\s+/g, ' ').slice(0, 300);
}

/** Returns the scored scenarios of a revision for a role (`server` or `client`), and the unscored ones with reasons. */
export function readRequirements(folder, revision, role) {
  const text = readFileSync(join(folder, `${revision}.yaml`), 'utf8');
  const section = (name) => new RegExp(`^${name}:\\n((?:[ #].*\\n|\\n)*)`, 'm').exec(text)?.[1] ?? '';
  const scored = [...section(role).matchAll(/^ {2}- (\S+)$/gm)].map((match) => match[1]);
  const unscored = [...section('not_scored').matchAll(/- scenario: (\S+)\n\s+leg: (\S+)\n\s+reason: (\S+)/g)]
    .filter((match) => match[2] === role)
    .map((match) => ({ scenario: match[1], reason: match[3] }));
  return { scored: new Set(scored), unscored };
}

/** Reads lines `requirement-set way-pattern scenario check-id  # why`; `*` in a pattern matches anything. */
export function readExceptions(file) {
  const lines = readFileSync(file, 'utf8').split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('#'));
  return lines.map((line) => {
    const [, patterns, why] = /^([^#]*?)\s*(?:#\s*(.*))?$/.exec(line);
    const patternList = patterns.split(/\s+/);
    if (patternList.length !== 4 || !why) {
      process.stderr.write(`error: ${file}: \`${line}\` is not \`requirement-set way-pattern scenario check-id  # why\`\n`);
      process.exit(2);
    }
    const tests = patternList.map((pattern) => new RegExp(`^${pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`));
    return { line, why, used: 0, matches: (...values) => values.every((value, at) => tests[at].test(value)) };
  });
}

export function findException(exceptions, ...values) {
  const found = exceptions.find((exception) => exception.matches(...values));
  if (found) found.used += 1;
  return found;
}

export function table(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => String(row[at]).length)));
  const aligned = (value, at) => (at < 2 ? String(value).padEnd(widths[at]) : String(value).padStart(widths[at]));
  for (const row of rows) process.stdout.write(`${row.map(aligned).join('  ').trimEnd()}\n`);
}

export const print = (line = '') => process.stdout.write(`${line}\n`);
