import { execFileSync } from 'node:child_process';
import { createRng, type Rng } from '../../src/core/rng';
import { EdgeEnv } from '../../src/env/edge-env';
import { methods } from '../../src/paper/methods';
import { Learner } from '../../src/lyreo/lyreo';
import { type LearningMethod, trainingDefaults } from '../../src/lyreo/method';
import { slotRecord } from '../../src/lyreo/policy';
import { Adam } from '../../src/nn/adam';
import { LstmPredictor } from '../../src/nn/lstm';
import { squaredError } from '../../src/nn/network';
import { systemConfig } from '../../src/system/presets';
import { type BenchFigure, type BenchOptions, benchFigure } from './figure';

/** Hidden layers of actor and critic. */
const HIDDEN = [128, 128, 64];

/** Shortest of `count` runs after a warm-up, in seconds: what the machine's other work disturbed least. */
function best(count: number, work: () => void): number {
  work();
  let shortest = Infinity;
  for (let k = 0; k < count; k++) {
    const start = performance.now();
    work();
    shortest = Math.min(shortest, performance.now() - start);
  }
  return shortest / 1000;
}

/**
 * The same work in PyTorch, if LYREO_PEER names a command such as "python3 torch_update.py". It runs in the same
 * sitting and is told the sizes: --threads 1 --slots --users --servers --features (inputs of the actor per request),
 * --hidden and --batches with commas. It prints one JSON object on one line, the shortest times: ppo_update_s, seconds of
 * a PPO update (10 epochs of 4 minibatches, the actor on slots × users rows and the critic on slots rows),
 * policy_forward_s, of the policy's forward pass over the slots one by one, and predictor_B8_ms, _B32_ms and _B64_ms, of
 * a predictor step. What it leaves out is not compared.
 */
function peer(sizes: Readonly<Record<string, number>>): Readonly<Partial<Record<string, number>>> {
  const words = (process.env['LYREO_PEER'] ?? '').split(' ').filter((part) => part !== '');
  if (words.length === 0) return {};
  const flags = { threads: 1, ...sizes, hidden: HIDDEN.join(','), batches: '8,32,64' };
  const args = [...words.slice(1), ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])];
  const text = execFileSync(words[0], args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(text.trim()) as Record<string, number>;
}

/** `Ppo.update` as in the first update of a method, again and again from the same networks; no epoch is left out. */
function ppoUpdate(learner: Learner, rng: Rng): () => void {
  const { ppo, valueNorm } = learner;
  const start = learner.save();
  const { rollout, credit } = learner.update();
  const targets = valueNorm.normalised(credit.targets);
  return () => {
    learner.restore(start);
    ppo.update(rollout, credit.advantages, targets, rng);
  };
}

/** An episode of decisions, slot by slot, the encoding of the state included; always of the first slot's requests. */
function policyForward({ config, policy }: Learner, rng: Rng): () => void {
  const { view } = new EdgeEnv(config, 1).reset();
  const record = slotRecord(policy, config.users, config.servers);
  const assignment = new Int32Array(config.users);
  return () => {
    for (let slot = 0; slot < config.slots; slot++) policy.act(view, assignment, record, rng);
  };
}

/** One step of a return predictor: forward, squared error at every step, backward, Adam. */
function predictorStep(inputs: number, steps: number, batch: number, rng: Rng): () => void {
  const normals = (n: number): Float32Array => Float32Array.from({ length: n }, () => rng.normal());
  const net = new LstmPredictor({ inputs, hidden: 64, layers: 2, outputs: 1 }, rng);
  const adam = new Adam(net.parameters, 1e-3);
  const data = { steps, batch, inputs: normals(steps * batch * inputs) };
  const targets = normals(steps * batch);
  return () => {
    net.learn(data, (outputs, out) => squaredError(outputs, targets, 1, targets.length, out));
    adam.step();
  };
}

/** One PPO update, the policy over one episode slot by slot, and steps of the return predictor, on one core. */
export function benchNetworks({ quick, log }: BenchOptions): BenchFigure[] {
  const method = methods['ly-ppo'].learning as LearningMethod;
  const training = { ...trainingDefaults(method), hidden: HIDDEN, targetKl: Infinity };
  const learner = new Learner(systemConfig('calibrated'), method, training, 1);
  const { slots, users, servers } = learner.config;
  const { sharedInputs, rowInputs } = learner.policy.net.shape;
  const rng = createRng(1);
  const repeat = quick ? 1 : 4;
  const theirs = peer({ slots, users, servers, features: sharedInputs + rowInputs });
  const figure = (bench: string, value: number, unit: string, key: string, bar: string): BenchFigure => {
    const other = theirs[key];
    return other === undefined
      ? benchFigure(bench, value, unit)
      : benchFigure(bench, value, unit, value / other, `PyTorch's time (${bar})`);
  };
  const figures: BenchFigure[] = [];

  log('PPO update: 10 epochs of 4 minibatches, actor on 32,000 rows and critic on 800');
  const seconds = best(repeat, ppoUpdate(learner, rng));
  figures.push(figure('PPO update', seconds, 's', 'ppo_update_s', 'at most 1.0, aim 0.67'));

  log('policy forward: 800 slots, one by one, sampled');
  const forward = best(repeat, policyForward(learner, rng));
  figures.push(figure('policy forward, 800 slots', forward, 's', 'policy_forward_s', 'no bar'));

  for (const batch of quick ? [32] : [8, 32, 64]) {
    log(`predictor step: window 250, batch ${batch}`);
    const step = predictorStep(76, 250, batch, rng);
    const time = 1000 * best(quick ? 3 : 10, step);
    const bar = batch === 32 ? 'at most 1.5, aim 1.0' : 'no bar';
    figures.push(figure(`predictor step, batch ${batch}`, time, 'ms', `predictor_B${batch}_ms`, bar));
  }
  return figures;
}
