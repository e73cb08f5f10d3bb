/**
 * node scripts/stability-rates.mjs [seeds]: how often the stability verdict is STABLE, OVERLOADED and UNKNOWN on
 * simulated systems of known load, and writes the table into docs/stability.md. 200 seeds (the default) take about 10
 * minutes on one core.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inRoot, main, run } from './common.mjs';

const require = createRequire(import.meta.url);
const { createRng } = require('../dist/core/rng');
const { BacklogRecord } = require('../dist/env/stability');
const { playSlots } = require('../dist/env/simulate');
const { schedulers } = require('../dist/schedulers/index');
const { systemConfig } = require('../dist/system/presets');
const { syntheticWorkload } = require('../dist/system/workload');

const LOADS = [0.8, 0.9, 0.95, 1.05, 1.1];

/** A Poisson draw, by the sum of exponential times. */
function poisson(rng, mean) {
  let count = 0;
  for (let time = -Math.log(1 - rng.uniform()); time < mean; time -= Math.log(1 - rng.uniform())) count++;
  return count;
}

/** Independent queues, each with Poisson arrivals and Poisson service of 10 requests per slot. */
function queues(count, slots) {
  return (load, seed) => {
    const rng = createRng(seed).fork(`queues ${count} ${slots} ${load}`);
    const record = new BacklogRecord(count);
    const backlog = new Float64Array(count);
    const arrivals = new Float64Array(count);
    for (let t = 0; t < slots; t++) {
      for (let s = 0; s < count; s++) {
        arrivals[s] = poisson(rng, 10 * load);
        backlog[s] = Math.max(0, backlog[s] + arrivals[s] - poisson(rng, 10));
      }
      record.add(backlog, arrivals);
    }
    return record.stability().verdict;
  };
}

/** Edge servers of the calibrated preset with Poisson arrivals at a load relative to their completions when saturated. */
function servers(count, slots) {
  const mix = count === 1 ? 'Hom' : 'Mod';
  const config = systemConfig('calibrated', { servers: count, mix, users: 80 * count, slots });
  const play = (perSlot, seed) => {
    const rng = createRng(seed).fork(`servers ${perSlot}`);
    const requests = syntheticWorkload({ ...config, maxTokens: 8192 }, seed);
    const counts = Array.from({ length: slots + 1 }, () => Math.min(config.users, poisson(rng, perSlot)));
    const fill = (slot, out) => {
      requests.fill(slot, out);
      out.count = counts[slot];
    };
    return playSlots(config, schedulers['ll-in-slot'], seed, { workload: { maxRequestsPerSlot: config.users, fill } });
  };
  // Prefills slow decoding down, so that capacity falls with the arrivals: it is taken at an overload of 5 %.
  let capacity = 40 * count;
  const from = Math.ceil(slots / 4);
  for (let step = 0; step < 12; step++) {
    const backlog = [];
    let arrived = 0;
    for (const outcome of play(1.05 * capacity, 1)) {
      backlog.push(outcome.backlog.reduce((a, b) => a + b, 0));
      if (outcome.slot >= slots / 4) arrived += outcome.arrived;
    }
    capacity = (arrived - (backlog[slots - 1] - backlog[from - 1])) / (slots - from);
  }
  return (load, seed) => {
    const record = new BacklogRecord(count);
    for (const outcome of play(load * capacity, seed)) record.add(outcome.backlog, outcome.sent);
    return record.stability().verdict;
  };
}

main(async () => {
  const seeds = Number(process.argv[2] ?? 200);
  const systems = [
    ['1 queue, 200 slots', queues(1, 200)],
    ['1 queue, 800 slots', queues(1, 800)],
    ['1 queue, 6400 slots', queues(1, 6400)],
    ['8 queues, 800 slots', queues(8, 800)],
    ['1 edge server, 800 slots', servers(1, 800)],
    ['8 edge servers, 800 slots', servers(8, 800)],
  ];
  const lines = ['| system | load ρ | STABLE | OVERLOADED | UNKNOWN |', '| --- | ---: | ---: | ---: | ---: |'];
  for (const [name, verdictOf] of systems)
    for (const load of LOADS) {
      const verdicts = Array.from({ length: seeds }, (_, k) => verdictOf(load, k + 1));
      const shares = ['STABLE', 'OVERLOADED', 'UNKNOWN'].map((verdict) => {
        const percent = (100 * verdicts.filter((found) => found === verdict).length) / seeds;
        return percent === 0 ? '0' : `${Number(percent.toPrecision(3))} %`;
      });
      lines.push(`| ${[name, load, ...shares].join(' | ')} |`);
      process.stderr.write(`${lines.at(-1)}\n`);
    }
  const path = inRoot('docs', 'stability.md');
  const table = `<!-- rates -->\n\n${lines.join('\n')}\n\nOver ${seeds} seeds.\n\n<!-- end of rates -->`;
  writeFileSync(path, readFileSync(path, 'utf8').replace(/<!-- rates -->.*<!-- end of rates -->/s, table));
  return run(process.execPath, [inRoot('node_modules', 'prettier', 'bin', 'prettier.cjs'), '--write', path]);
});
