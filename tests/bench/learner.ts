import { Learner } from '../../src/lyreo/lyreo';
import { createRng } from '../../src/core/rng';
import { stratifiedDraws } from '../../src/lyreo/draws';
import { trainingDefaults } from '../../src/lyreo/method';
import { methods } from '../../src/paper/methods';
import { systemConfig } from '../../src/system/presets';
import { type BenchFigure, type BenchOptions, benchFigure, median, processorSeconds } from './figure';

/** Adds the processor time of every call of `work` to `spent[0]`. */
function timed<A extends unknown[], R>(work: (...args: A) => R, spent: number[]): (...args: A) => R {
  return (...args) => {
    const from = processorSeconds();
    const result = work(...args);
    spent[0] += processorSeconds() - from;
    return result;
  };
}

/**
 * One whole update of LYREO, 800 slots at U = 40 and S = 8 with its default networks, on one core: the parts and
 * their shares. Medians over updates after the policy has settled.
 */
export function benchLearner({ quick, log }: BenchOptions): BenchFigure[] {
  const method = methods.lyreo.learning;
  if (method === undefined) return [];
  log('LYREO update: 800 slots, U = 40, S = 8');
  const learner = new Learner(systemConfig('calibrated'), method, trainingDefaults(method), 1);
  const act = [0];
  const credit = [0];
  const ppo = [0];
  Object.assign(learner.policy, { act: timed(learner.policy.act.bind(learner.policy), act) });
  Object.assign(learner, { assignCredit: timed(learner.assignCredit.bind(learner), credit) });
  Object.assign(learner.ppo, { update: timed(learner.ppo.update.bind(learner.ppo), ppo) });
  const rows: { whole: number; act: number; credit: number; ppo: number }[] = [];
  const warmUp = quick ? 1 : 4;
  for (let k = 0; k < warmUp + (quick ? 2 : 9); k++) {
    for (const spent of [act, credit, ppo]) spent[0] = 0;
    const from = processorSeconds();
    learner.update();
    if (k >= warmUp) rows.push({ whole: processorSeconds() - from, act: act[0], credit: credit[0], ppo: ppo[0] });
  }
  const whole = median(rows.map((row) => row.whole));
  const share = (bench: string, part: (row: (typeof rows)[number]) => number): BenchFigure =>
    benchFigure(`  ${bench}`, 100 * median(rows.map((row) => part(row) / row.whole)), '%');
  return [
    benchFigure('LYREO update, 800 slots', whole, 's', whole / 1.5, 'the bar of 1.5 s'),
    drawsFigure(),
    share('simulation and records', (row) => row.whole - row.act - row.credit - row.ppo),
    share('policy forward', (row) => row.act),
    share('return predictor and credit', (row) => row.credit),
    share('PPO epochs', (row) => row.ppo),
  ];
}

/** The draws of one slot at U = 40 and S = 8, stratified. */
function drawsFigure(): BenchFigure {
  const [requests, servers, slots] = [40, 8, 50_000];
  const rng = createRng(1);
  const logProbs = new Float32Array(requests * servers).fill(Math.log(1 / servers));
  const out = new Int32Array(requests);
  for (let t = 0; t < slots / 5; t++) stratifiedDraws(logProbs, requests, servers, rng, out);
  const from = processorSeconds();
  for (let t = 0; t < slots; t++) stratifiedDraws(logProbs, requests, servers, rng, out);
  const value = (1e6 * (processorSeconds() - from)) / slots;
  return benchFigure('stratified draws, a slot', value, 'µs', value / 20, 'the aim of 20 µs');
}
