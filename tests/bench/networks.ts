import { execFileSync } from 'node:child_process';
import { createRng, type Rng } from '../../src/core/rng';
import { EdgeEnv } from '../../src/env/edge-env';
import { methodOf } from '../../src/paper/methods';
import { Learner } from '../../src/lyreo/lyreo';
import { type LearningMethod, trainingDefaults } from '../../src/lyreo/method';
import { slotRecord } from '../../src/lyreo/policy';
import { Adam } from '../../src/nn/adam';
import { LstmPredictor } from '../../src/nn/lstm';
import { squaredError } from '../../src/nn/network';
import { systemConfig } from '../../src/system/presets';
import type { BenchFigure } from './figure';

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

/** The output of a peer, of which ppo_update_s, policy_forward_s and predictor_B8_ms, _B32_ms, _B64_ms are read. */
type Peer = Readonly<Record<string, number>>;

/** The sizes that a peer is told, by the names of its flags. */
interface PeerShape {
  readonly slots: number;
  readonly users: number;
  readonly servers: number;
  /** Inputs of the actor per request. */
  readonly features: number;
}

/**
 * The same work in PyTorch, if LYREO_PEER names a command such as "python3 torch_update.py". It runs in the same
 * sitting and is told the sizes: --threads 1 --slots --users --servers --features, --hidden and --batches with commas.
 * It prints one JSON object on one line, the shortest times of {@link Peer}: seconds of a PPO update (10 epochs of 4
 * minibatches, the actor on slots × users rows and the critic on slots rows) and of the policy's forward pass over the
 * slots one by one, and milliseconds of a predictor step by batch. What it leaves out is not compared.
 */
function peer({ slots, users, servers, features }: PeerShape, log: (message: string) => void): Peer | undefined {
  const words = (process.env['LYREO_PEER'] ?? '').split(' ').filter((part) => part !== '');
  if (words.length === 0) return undefined;
  const [command, ...args] = words;
  log(`${command} ${args.join(' ')}`);
  const flags = { threads: 1, slots, users, servers, features, hidden: HIDDEN.join(','), batches: '8,32,64' };
  const text = execFileSync(command, [...args, ...Object.entries(flags).flatMap(([k, v]) => [`--${k}`, String(v)])], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(text.trim()) as Peer;
}

/** `Ppo.update` as in the first update of a method, again and again from the same networks; no epoch is left out. */
function ppoUpdate(learner: Learner, rng: Rng): () => void {
  const { ppo, valueNorm } = learner;
  const start = ppo.save();
  const { rollout, credit } = learner.update();
  const targets = valueNorm.normalised(credit.targets);
  return () => {
    ppo.restore(start);
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
  const adam = new Adam(net.parameters, { learningRate: 1e-3 });
  const data = { steps, batch, inputs: normals(steps * batch * inputs) };
  const targets = normals(steps * batch);
  return () => {
    net.learn(data, (outputs, out) => squaredError(outputs, targets, 1, targets.length, out));
    adam.step();
  };
}

/** One PPO update, the policy over one episode slot by slot, and steps of the return predictor, on one core. */
export function benchNetworks(options: {
  readonly quick: boolean;
  readonly log: (message: string) => void;
}): BenchFigure[] {
  const { quick, log } = options;
  const method = methodOf('ly-ppo').learning as LearningMethod;
  const training = { ...trainingDefaults(method), hidden: HIDDEN, targetKl: Infinity };
  const learner = new Learner(systemConfig('calibrated'), method, training, 1);
  const { slots, users, servers } = learner.config;
  const { sharedInputs, rowInputs } = learner.policy.net.shape;
  const rng = createRng(1);
  const repeat = quick ? 1 : 4;
  const theirs = peer({ slots, users, servers, features: sharedInputs + rowInputs }, log);
  const figure = (bench: string, value: number, unit: string, key: string, bar: string): BenchFigure => {
    const other = theirs?.[key];
    return other === undefined
      ? { bench, value, unit, ratio: null, ratioTo: null }
      : { bench, value, unit, ratio: value / other, ratioTo: `PyTorch's time (${bar})` };
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
