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
import { inRoot, main, run } from './common.mjs';

const require = createRequire(import.meta.url);
const { matrix } = require('../dist/paper/matrix.js');
const { profiles } = require('../dist/paper/profiles.js');
const { RunStore } = require('../dist/paper/run-store.js');

const JOBS = 2;
/** Every method at the default, and the sweeps of one method each: nu and the window. */
const CHOSEN = { figures: ['fig2', 'fig3', 'table2', 'fig7', 'fig8', 'extras'], seeds: [1] };
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
  const start = performance.now();
  const all = process.argv.includes('--all');
  const chosen = all ? ['all'] : [...CHOSEN.figures, '--seeds', CHOSEN.seeds.join()];
  const command = [inRoot('dist', 'cli.js'), 'experiments', ...chosen, '--profile', 'quick', '--jobs', String(JOBS)];
  const code = await run(process.execPath, command, { env: { ...process.env, LYREO_RUNS: fresh } });
  const cells = all ? matrix(profiles.quick) : matrix(profiles.quick, CHOSEN.figures, CHOSEN.seeds);
  const minutes = ((performance.now() - start) / 60_000).toFixed(1);
  console.log(`${cells.length} runs of the quick matrix from nothing: ${minutes} min with ${JOBS} processes`);

  const made = new RunStore(join(fresh, 'quick'));
  const stored = new RunStore(inRoot('data', 'runs', 'quick'));
  const problems = [['lyreo experiments', code === 0 ? undefined : `exit code ${code}`]];
  problems.push(['the stored runs', outOfDate(stored, matrix(profiles.quick))]);
  for (const method of new Set(cells.map((cell) => cell.method))) {
    const keys = cells.filter((cell) => cell.method === method).map(({ key }) => key);
    problems.push([`${method}, ${keys.length} runs`, problemOf(keys, made, stored)]);
  }
  for (const [name, problem] of problems) console.log(problem ? `FAIL ${name}: ${problem}` : `ok ${name}`);
  return problems.some(([, problem]) => problem) ? 1 : 0;
});

/** A changed setting changes the names of runs: then those that are stored are of other settings. */
function outOfDate(stored, cells) {
  const { missing } = stored.sort(cells);
  if (missing.length === 0) return undefined;
  return (
    `${missing.length} of ${cells.length} are missing in data/runs/quick, or are of settings that have changed since; ` +
    `npx lyreo experiments --jobs ${JOBS} makes them, and git clean -n data/runs shows what is new`
  );
}

/** The fault of a method's runs; undefined when there is none. */
function problemOf(keys, made, stored) {
  const pairs = keys.map((key) => ({ key, now: made.load(key), before: stored.load(key) }));
  const lost = pairs.find(({ now }) => now === undefined);
  if (lost) return `${lost.key} was not made`;
  const senseless = pairs.find(({ now }) => !isSound(now));
  if (senseless)
    return `${senseless.key} has no sound result: ${JSON.stringify(senseless.now.evaluation).slice(0, 200)}`;
  const both = pairs.filter(({ before }) => before !== undefined);
  const others = both.map((pair) => ({ ...pair, where: difference(pair.now.evaluation, pair.before.evaluation) }));
  const differing = others.filter(({ where }) => where !== undefined);
  if (differing.length === 0) return undefined;
  const [{ key, where, now }] = differing;
  const what = `${differing.length} of ${both.length} differ from data/runs/quick, the first ${key} in ${where}`;
  if (now.log === null)
    return `${what}. If a change of the code means it, raise RESULTS_VERSION in src/paper/run-spec.ts and make the runs anew`;
  const steady = both.filter(({ before }) => before.evaluation.stability === 'STABLE');
  if (steady.length === 0) {
    console.log(`${what}; none of them was stable, so that latencies are not compared`);
    return undefined;
  }
  const factor = medianLatency(steady.map((pair) => pair.now)) / medianLatency(steady.map((pair) => pair.before));
  if (!(factor < LOOSE && factor > 1 / LOOSE))
    return `${what}; its median latency is ${factor.toFixed(2)} times that stored`;
  console.log(
    `${what}; the median latency is ${factor.toFixed(4)} times that stored, as another processor may have it`,
  );
  return undefined;
}

function medianLatency(runs) {
  const latencies = runs.map(({ evaluation }) => evaluation.meanLatency).sort((a, b) => a - b);
  return latencies[Math.floor(latencies.length / 2)];
}

/** Requests were answered, in some time; a training has all its updates. */
function isSound({ evaluation, log, profile }) {
  const { meanLatency: latency, p99Latency, deviation, completed } = evaluation;
  const isLog = log === null || Object.values(log).every((column) => column.length === profiles[profile].updates);
  return (
    isLog && completed > 0 && latency > 0 && p99Latency >= latency / 2 && Number.isFinite(p99Latency) && deviation >= 0
  );
}

/** The first place where two results differ by more than the last digit, with both values. */
function difference(a, b, place = 'evaluation') {
  if (typeof a === 'number' && typeof b === 'number') {
    const isEqual = Object.is(a, b) || Math.abs(a - b) <= LAST_DIGIT * Math.max(Math.abs(a), Math.abs(b));
    return isEqual ? undefined : `${place} (${a}, stored ${b})`;
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return a === b ? undefined : `${place} (${a}, stored ${b})`;
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = difference(a[name], b[name], `${place}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
