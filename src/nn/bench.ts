import { execFileSync } from 'node:child_process';
import type { BenchFigure } from '../bench/figure';
import { createRng } from '../core/rng';
import { criticRows, policyForward, policyUpdate, predictorStep, type BenchShape } from './bench-work';

/** What shared/peers/torch_update.py prints. */
type Peer = Readonly<Record<string, number>>;

const SHAPE: BenchShape = { slots: 800, users: 40, servers: 8, shared: 48, own: 10, hidden: [128, 128, 64] };

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
 * The same work in PyTorch, if LYREO_PEER names a command such as "python3 torch_update.py".
 * It runs in the same sitting, on one thread, at the same shapes.
 */
function peer(log: (message: string) => void): Peer | undefined {
  const words = (process.env['LYREO_PEER'] ?? '').split(' ').filter((part) => part !== '');
  if (words.length === 0) return undefined;
  const [command, ...args] = words;
  log(`${command} ${args.join(' ')}`);
  const { slots, users, servers, shared, own, hidden } = SHAPE;
  const flags = {
    threads: 1,
    slots,
    users,
    servers,
    features: shared + own,
    hidden: hidden.join(','),
    batches: '8,32,64',
  };
  const text = execFileSync(command, [...args, ...Object.entries(flags).flatMap(([k, v]) => [`--${k}`, String(v)])], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(text.trim()) as Peer;
}

/** One PPO update, the policy over one episode slot by slot, and steps of the return predictor, on one core. */
export function benchLearn(options: {
  readonly quick: boolean;
  readonly log: (message: string) => void;
}): Promise<readonly BenchFigure[]> {
  const { quick, log } = options;
  const rng = createRng(1);
  const repeat = quick ? 1 : 4;
  const theirs = peer(log);
  const figure = (bench: string, value: number, unit: string, key: string, bar: string): BenchFigure => {
    const other = theirs?.[key];
    return other === undefined
      ? { bench, value, unit, ratio: null, ratioTo: null }
      : { bench, value, unit, ratio: value / other, ratioTo: `PyTorch's time (${bar})` };
  };
  const figures: BenchFigure[] = [];

  log('PPO update: 10 epochs of 4 minibatches, actor on 32,000 rows and critic on 800');
  const update = policyUpdate(SHAPE, rng);
  const critic = criticRows(SHAPE, rng);
  const seconds = best(repeat, () => {
    update.run();
    critic.run();
  });
  figures.push(figure('PPO update', seconds, 's', 'ppo_update_s', 'at most 1.0, aim 0.67'));
  const parts = { ...update.parts(), critic: critic.seconds() };
  const all = Object.values(parts).reduce((a, b) => a + b, 0);
  for (const [part, time] of Object.entries(parts))
    figures.push({ bench: `  ${part}`, value: (100 * time) / all, unit: '%', ratio: null, ratioTo: null });

  log('policy forward: 800 slots, one by one, sampled');
  const forward = policyForward(SHAPE, rng);
  figures.push(figure('policy forward, 800 slots', best(repeat, forward), 's', 'policy_forward_s', 'no bar'));

  for (const batch of quick ? [32] : [8, 32, 64]) {
    log(`predictor step: window 250, batch ${batch}`);
    const step = predictorStep(76, 250, batch, rng);
    const time = 1000 * best(quick ? 3 : 10, step);
    const bar = batch === 32 ? 'at most 1.5, aim 1.0' : 'no bar';
    figures.push(figure(`predictor step, batch ${batch}`, time, 'ms', `predictor_B${batch}_ms`, bar));
  }
  return Promise.resolve(figures);
}
