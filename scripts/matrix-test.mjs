/**
 * Some runs of the quick matrix, every method once, made from nothing into a folder of their own and compared with the
 * stored ones: whether the repository's numbers come out of its code. With --all: the whole matrix, some ten minutes.
 * Prints `ok name` or `FAIL name: why` per method.
 *
 * A method that does not learn must agree to the six digits stored. A learner need not on another processor, whose vector
 * units may round differently; there only the size must be right.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot, main, reporter, run } from './common.mjs';

const require = createRequire(import.meta.url);
const { matrix } = require('../dist/paper/run-spec.js');
const { profiles } = require('../dist/paper/profiles.js');
const { RunStore } = require('../dist/paper/run-store.js');

/** Every method at the default, and the sweeps of one method each: nu and the window. */
const FIGURES = ['fig2', 'fig3', 'table2', 'fig7', 'fig8', 'extras'];
/** One unit of the last of six digits. */
const LAST_DIGIT = 1e-5;
/**
 * The allowed factor between a learner's median latency over its stable runs and the stored one. A short training that
 * is still overloaded has no steady state, so that its latency is not compared.
 */
const LOOSE = 2;

main(async () => {
  const fresh = mkdtempSync(join(tmpdir(), 'lyreo-runs-'));
  process.once('exit', () => rmSync(fresh, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  const all = process.argv.includes('--all');
  const chosen = all ? ['all'] : [...FIGURES, '--seeds', '1'];
  const command = [inRoot('dist', 'cli.js'), 'experiments', ...chosen, '--profile', 'quick', '--jobs', '2'];
  const { tell, exitCode } = reporter();
  await tell('lyreo experiments', async () => {
    const code = await run(process.execPath, command, { env: { ...process.env, LYREO_RUNS: fresh } });
    return code === 0 ? undefined : `exit code ${code}`;
  });
  const stored = new RunStore(inRoot('data', 'runs', 'quick'));
  await tell('the stored runs', () => outOfDate(stored, matrix(profiles.quick)));
  const made = new RunStore(join(fresh, 'quick'));
  const cells = all ? matrix(profiles.quick) : matrix(profiles.quick, FIGURES, [1]);
  for (const method of new Set(cells.map((cell) => cell.method))) {
    const keys = cells.filter((cell) => cell.method === method).map(({ key }) => key);
    const pairs = keys.map((key) => ({ key, now: made.load(key), before: stored.load(key) }));
    await tell(`${method}, ${keys.length} runs`, () => problemOf(pairs));
  }
  return exitCode();
});

/** A changed setting changes the names of runs: then those that are stored are of other settings. */
function outOfDate(stored, cells) {
  const { missing } = stored.sort(cells);
  if (missing.length === 0) return undefined;
  return (
    `${missing.length} of ${cells.length} are missing in data/runs/quick, or are of settings that have changed since; ` +
    'npx lyreo experiments --jobs 2 makes them, and git clean -n data/runs shows what is new'
  );
}

/** The fault of a method's runs; undefined when there is none. */
function problemOf(pairs) {
  const lost = pairs.find(({ now }) => now === undefined);
  if (lost) return `${lost.key} was not made`;
  const both = pairs.filter(({ before }) => before !== undefined);
  const places = both.map(({ now, before }) => difference(now.evaluation, before.evaluation));
  const first = places.findIndex((place) => place !== undefined);
  if (first < 0) return undefined;
  const what = `runs differ from data/runs/quick, the first ${both[first].key} in ${places[first]}`;
  if (both[first].now.log === null)
    return `${what}. If a change of the code means it, raise RESULTS_VERSION in src/paper/run-spec.ts and make the runs anew`;
  const steady = both.filter(({ before }) => before.evaluation.stability === 'STABLE');
  const [now, before] = ['now', 'before'].map((side) => {
    const latencies = steady.map((pair) => pair[side].evaluation.meanLatency).sort((a, b) => a - b);
    return latencies[Math.floor(latencies.length / 2)];
  });
  if (steady.length > 0 && !(now < LOOSE * before && before < LOOSE * now))
    return `${what}; the median latency is ${now} s, stored ${before} s`;
  console.log(`${what}, as another processor may have it`);
  return undefined;
}

/** The first place where two results differ by more than the last digit, with both values. */
function difference(now, before) {
  const stored = new Map(leaves(before));
  const isSame = (a, b) => Object.is(a, b) || Math.abs(a - b) <= LAST_DIGIT * Math.max(Math.abs(a), Math.abs(b));
  const found = leaves(now).find(([place, value]) => !isSame(value, stored.get(place)));
  return found && `${found[0]} (${found[1]}, stored ${stored.get(found[0])})`;
}

/** The numbers and texts of a result, each with its place. */
function leaves(value, place = 'evaluation') {
  if (typeof value !== 'object' || value === null) return [[place, value]];
  return Object.entries(value).flatMap(([name, part]) => leaves(part, `${place}.${name}`));
}
