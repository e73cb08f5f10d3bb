import type { SlotView } from './slot-view';

export interface Feature {
  readonly name: string;
  /** Its definition; values that are no ln(1 + x) are clipped to [−10, 10]. */
  readonly formula: string;
}

/**
 * The features of each server that a policy sees (s_t^ser, IV-B1), in this order. Quantities that grow without bound on
 * an overloaded server stand as ln(1 + x), which is nearly linear for small x and still separates 100 from 1000.
 */
export const serverFeatureTable: readonly Feature[] = [
  { name: 'kvShare', formula: 'KV cache of the next iteration / pool' },
  { name: 'demand', formula: 'ln(1 + KV cache of all requests there, if all were admitted / pool)' },
  { name: 'running', formula: 'ln(1 + requests decoding / 10)' },
  { name: 'waiting', formula: 'ln(1 + requests waiting for admission / 10)' },
  { name: 'prefilling', formula: 'ln(1 + requests being sent or prefilled / 10)' },
  { name: 'prefillDelay', formula: 'ln(1 + seconds until earlier prefills end / Δ)' },
  { name: 'workload', formula: 'ln(1 + remaining KV memory-time / (M·Δ))' },
  { name: 'residence', formula: 'ln(1 + mean remaining output tokens of a request · iteration time / Δ)' },
  { name: 'queue', formula: 'ln(1 + Z_s / balance unit)' },
];

/** The constants by which a network that the servers share distinguishes them. */
export const serverConstantTable: readonly Feature[] = [
  { name: 'pool', formula: 'tokens the pool holds / 10 000' },
  { name: 'emptyIteration', formula: 'iteration time of an empty server · 100 / s' },
  { name: 'fullIteration', formula: 'iteration time with a full pool · 100 / s' },
  { name: 'prefillRate', formula: 'tokens per second / 10 000' },
];

/** The features of each request that a policy sees (s_t^req); the gain stands once per server. */
export const requestFeatureTable: readonly Feature[] = [
  { name: 'inputTokens', formula: 'ln(l_in / mean l_in)' },
  { name: 'predictedTokens', formula: 'ln(l̂_out / mean l_out) · 2' },
  { name: 'gain', formula: '(log10 h_{i,s} + 11) / 2' },
];

function clipped(x: number): number {
  return x > 10 ? 10 : x < -10 ? -10 : x;
}

/** Widths of `encodeServers` and `encodeConstants` per server, and of `encodeSlot`. */
export const SERVER_FEATURES: number = serverFeatureTable.length;
export const SERVER_CONSTANTS: number = serverConstantTable.length;
export const SLOT_FEATURES = 4;

/** Width of `encodeRequests` per request. */
export function requestFeatures(servers: number): number {
  return 2 + servers;
}

/** Writes the servers' state, [S, SERVER_FEATURES]. */
export function encodeServers(view: SlotView, out: Float32Array, offset = 0): void {
  const { config } = view;
  let k = offset;
  for (let s = 0; s < view.serverCount; s++) {
    const pool = view.maxTokens[s];
    const requests = view.requestsOn(s);
    const output = view.remainingOutputTokens[s];
    const held = output === 0 ? 0 : (requests * view.remainingTokenIterations[s]) / output;
    const iteration = view.workloadUnit[s] * pool;
    out[k++] = clipped(view.kvTokens[s] / pool);
    out[k++] = Math.log1p(held / pool);
    out[k++] = Math.log1p(view.running[s] / 10);
    out[k++] = Math.log1p(view.waiting[s] / 10);
    out[k++] = Math.log1p(view.prefilling[s] / 10);
    out[k++] = Math.log1p(view.prefillSeconds[s] / config.slotSeconds);
    out[k++] = Math.log1p(view.workload[s]);
    out[k++] = Math.log1p(requests === 0 ? 0 : (output / requests) * iteration);
    out[k++] = Math.log1p(view.queue[s] / config.balanceUnit);
  }
}

/** Writes the servers' constants, [S, SERVER_CONSTANTS]. */
export function encodeConstants(view: SlotView, out: Float32Array, offset = 0): void {
  let k = offset;
  for (let s = 0; s < view.serverCount; s++) {
    const pool = view.maxTokens[s];
    out[k++] = clipped(pool / 10_000);
    out[k++] = clipped(100 * view.iterationSeconds(s, 0));
    out[k++] = clipped(100 * view.iterationSeconds(s, pool));
    out[k++] = clipped(view.servers[s].prefillTokensPerSecond / 10_000);
  }
}

/** Writes the slot's requests, [count, 2 + S]. */
export function encodeRequests(view: SlotView, out: Float32Array, offset = 0): void {
  const { meanInputTokens, meanOutputTokens } = view.config;
  let k = offset;
  for (let i = 0; i < view.count; i++) {
    out[k++] = clipped(Math.log(view.inputTokens[i] / meanInputTokens));
    out[k++] = clipped(2 * Math.log(view.predictedTokens[i] / meanOutputTokens));
    for (let s = 0; s < view.serverCount; s++) out[k++] = clipped((Math.log10(view.gain(i, s)) + 11) / 2);
  }
}

/** Writes sums over the slot's requests and the system, [SLOT_FEATURES]. */
export function encodeSlot(view: SlotView, out: Float32Array, offset = 0): void {
  const { config } = view;
  let input = 0;
  let output = 0;
  for (let i = 0; i < view.count; i++) {
    input += view.inputTokens[i];
    output += view.predictedTokens[i];
  }
  let present = 0;
  for (let s = 0; s < view.serverCount; s++) present += view.requestsOn(s);
  out[offset] = clipped(view.count / config.users);
  out[offset + 1] = clipped(input / (config.users * config.meanInputTokens));
  out[offset + 2] = clipped(output / (config.users * config.meanOutputTokens));
  out[offset + 3] = clipped(present / (4 * config.users));
}
