import type { Rng } from '../core/rng';
import { Adam } from './adam';
import { logSoftmax, sample } from './categorical';
import { LstmPredictor } from './lstm';
import { Mlp } from './mlp';

/** The sizes of a learning update. */
export interface BenchShape {
  readonly slots: number;
  readonly users: number;
  readonly servers: number;
  /** Fs and Fr of the actor. */
  readonly shared: number;
  readonly own: number;
  readonly hidden: readonly number[];
}

const EPOCHS = 10;
const MINIBATCHES = 4;

const normals = (n: number, rng: Rng): Float32Array => Float32Array.from({ length: n }, () => rng.normal());

function shuffled(n: number, rng: Rng): number[] {
  const order = Array.from({ length: n }, (_, k) => k);
  for (let k = n - 1; k > 0; k--) {
    const j = rng.int(k + 1);
    [order[k], order[j]] = [order[j], order[k]];
  }
  return order;
}

/** Copies the items `order[begin..begin+count−1]`, `width` numbers each, side by side. */
function gather(from: Float32Array, order: readonly number[], begin: number, width: number, out: Float32Array): void {
  const count = out.length / width;
  for (let k = 0; k < count; k++) {
    const item = order[begin + k];
    out.set(from.subarray(item * width, (item + 1) * width), k * width);
  }
}

/** The actor's part of a PPO update, and where its time went. */
export function policyUpdate(shape: BenchShape, rng: Rng): { run: () => void; parts: () => Record<string, number> } {
  const { slots, users, servers, shared, own, hidden } = shape;
  const mlp = new Mlp({ sharedInputs: shared, rowInputs: own, hidden, outputs: servers }, rng, 0.01);
  const adam = new Adam(mlp.parameters, { learningRate: 3e-4, maxGradNorm: 0.5 });
  const all = {
    shared: normals(slots * shared, rng),
    rows: normals(slots * users * own, rng),
    actions: Float32Array.from({ length: slots * users }, () => rng.int(servers)),
    oldLogProbs: new Float32Array(slots * users).fill(-Math.log(servers)),
    advantages: normals(slots * users, rng),
  };
  const groups = slots / MINIBATCHES;
  const batch = {
    shared: new Float32Array(groups * shared),
    rows: new Float32Array(groups * users * own),
    actions: new Float32Array(groups * users),
    oldLogProbs: new Float32Array(groups * users),
    advantages: new Float32Array(groups * users),
  };
  const parts = { gather: 0, network: 0, loss: 0, adam: 0 };
  const run = (): void => {
    for (let epoch = 0; epoch < EPOCHS; epoch++) {
      const order = shuffled(slots, rng);
      for (let begin = 0; begin < slots; begin += groups) {
        const t0 = performance.now();
        for (const name of Object.keys(batch) as (keyof typeof batch)[])
          gather(all[name], order, begin, batch[name].length / groups, batch[name]);
        const t1 = performance.now();
        let loss = 0;
        mlp.accumulate({ ...batch, groups, rowsPerGroup: users }, (logits, first, out) => {
          const start = performance.now();
          clipGradient(logits, servers, first, batch, groups * users, out);
          loss += performance.now() - start;
        });
        const t2 = performance.now();
        adam.step();
        parts.gather += t1 - t0;
        parts.network += t2 - t1 - loss;
        parts.loss += loss;
        parts.adam += performance.now() - t2;
      }
    }
  };
  return { run, parts: () => ({ ...parts }) };
}

interface Targets {
  readonly actions: Float32Array;
  readonly oldLogProbs: Float32Array;
  readonly advantages: Float32Array;
}

/**
 * ∂/∂logits of PPO's clipped loss with an entropy bonus, per row:
 * −min(ρA, clip(ρ, 0.8, 1.2)A)/R − 0.003·H/R, ρ = exp(l_a − old).
 */
function clipGradient(logits: Float32Array, S: number, first: number, t: Targets, R: number, out: Float32Array): void {
  logSoftmax(logits, S, logits, out);
  const [clip, bonus] = [0.2, 0.003];
  for (let row = 0, k = 0; k < logits.length; row++, k += S) {
    const A = t.advantages[first + row];
    const action = t.actions[first + row];
    const ratio = Math.exp(logits[k + action] - t.oldLogProbs[first + row]);
    const held = A >= 0 ? ratio > 1 + clip : ratio < 1 - clip;
    const g = held ? 0 : (-ratio * A) / R;
    let minusH = 0;
    for (let s = k; s < k + S; s++) minusH += out[s] * logits[s];
    for (let s = k; s < k + S; s++) out[s] *= (bonus / R) * (logits[s] - minusH) - g;
    out[k + action] += g;
  }
}

/** The critic's part: squared error on one row per slot. */
export function criticRows(
  { slots, servers, hidden }: BenchShape,
  rng: Rng,
): { run: () => void; seconds: () => number } {
  const inputs = servers * 7 + 4;
  const mlp = new Mlp({ sharedInputs: inputs, rowInputs: 0, hidden, outputs: 1 }, rng);
  const adam = new Adam(mlp.parameters, { learningRate: 3e-4, maxGradNorm: 0.5 });
  const [states, returns] = [normals(slots * inputs, rng), normals(slots, rng)];
  const groups = slots / MINIBATCHES;
  const [shared, targets, rows] = [new Float32Array(groups * inputs), new Float32Array(groups), new Float32Array(0)];
  let spent = 0;
  const run = (): void => {
    const start = performance.now();
    for (let epoch = 0; epoch < EPOCHS; epoch++) {
      const order = shuffled(slots, rng);
      for (let begin = 0; begin < slots; begin += groups) {
        gather(states, order, begin, inputs, shared);
        gather(returns, order, begin, 1, targets);
        mlp.accumulate({ groups, rowsPerGroup: 1, shared, rows }, (values, first, out) => {
          for (let k = 0; k < out.length; k++) out[k] = (2 * (values[k] - targets[first + k])) / groups;
        });
        adam.step();
      }
    }
    spent += performance.now() - start;
  };
  return { run, seconds: () => spent };
}

/** One episode of decisions, slot by slot. */
export function policyForward({ slots, users, servers, shared, own, hidden }: BenchShape, rng: Rng): () => void {
  const mlp = new Mlp({ sharedInputs: shared, rowInputs: own, hidden, outputs: servers }, rng, 0.01);
  const batch = { groups: 1, rowsPerGroup: users, shared: normals(shared, rng), rows: normals(users * own, rng) };
  return () => {
    for (let slot = 0; slot < slots; slot++) {
      const logits = mlp.predict(batch);
      logSoftmax(logits, servers, logits);
      for (let user = 0; user < users; user++) sample(logits, user * servers, servers, rng);
    }
  };
}

/** One step of the return predictor: forward, squared error at every step, backward, Adam. */
export function predictorStep(inputs: number, steps: number, batch: number, rng: Rng): () => void {
  const net = new LstmPredictor({ inputs }, rng);
  const adam = new Adam(net.parameters, { learningRate: 1e-3 });
  const data = { steps, batch, inputs: normals(steps * batch * inputs, rng) };
  const targets = normals(steps * batch, rng);
  return () => {
    const tape = net.forward(data);
    net.backward(
      tape,
      tape.outputs.map((y, k) => (2 * (y - targets[k])) / targets.length),
    );
    adam.step();
  };
}
