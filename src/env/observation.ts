import type { SlotView } from './slot-view';

/**
 * The features of each server that a policy sees (s_t^ser, IV-B1), in this order. Quantities that grow without bound on
 * an overloaded server stand as ln(1 + x), which is nearly linear for small x and still separates 100 from 1000; the
 * others are clipped to [−10, 10].
 */
export const serverFeatureTable: readonly string[] = [
  'kvShare = KV cache of the next iteration / pool',
  'demand = ln(1 + KV cache of all requests there, if all were admitted / pool)',
  'running = ln(1 + requests decoding / 10)',
  'waiting = ln(1 + requests waiting for admission / 10)',
  'prefilling = ln(1 + requests being sent or prefilled / 10)',
  'prefillDelay = ln(1 + seconds until earlier prefills end / Δ)',
  'workload = ln(1 + remaining KV memory-time / (M·Δ))',
  'residence = ln(1 + mean remaining output tokens of a request · iteration time / Δ)',
  'queue = ln(1 + Z_s / balance unit)',
];

/** The constants by which a network that the servers share distinguishes them. */
export const serverConstantTable: readonly string[] = [
  'pool = tokens the pool holds / 10 000',
  'emptyIteration = iteration time of an empty server · 100 / s',
  'fullIteration = iteration time with a full pool · 100 / s',
  'prefillRate = tokens per second / 10 000',
];

/** The features of each request that a policy sees (s_t^req); the gain stands once per server. */
export const requestFeatureTable: readonly string[] = [
  'inputTokens = ln(l_in / mean l_in)',
  'predictedTokens = ln(l̂_out / mean l_out) · 2',
  'gain = (log10 h_{i,s} + 11) / 2',
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
export function encodeServers(view: SlotView, out: Float32Array): void {
  const { config } = view;
  let k = 0;
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
export function encodeConstants(view: SlotView, out: Float32Array): void {
  let k = 0;
  for (let s = 0; s < view.serverCount; s++) {
    const pool = view.maxTokens[s];
    out[k++] = clipped(pool / 10_000);
    out[k++] = clipped(100 * view.iterationSeconds(s, 0));
    out[k++] = clipped(100 * view.iterationSeconds(s, pool));
    out[k++] = clipped(view.servers[s].prefillTokensPerSecond / 10_000);
  }
}

/** Writes the slot's requests, [count, 2 + S]. */
export function encodeRequests(view: SlotView, out: Float32Array): void {
  const { meanInputTokens, meanOutputTokens } = view.config;
  let k = 0;
  for (let i = 0; i < view.count; i++) {
    out[k++] = clipped(Math.log(view.inputTokens[i] / meanInputTokens));
    out[k++] = clipped(2 * Math.log(view.predictedTokens[i] / meanOutputTokens));
    for (let s = 0; s < view.serverCount; s++) out[k++] = clipped((Math.log10(view.gain(i, s)) + 11) / 2);
  }
}

/** Writes sums over the slot's requests and the system, [SLOT_FEATURES]. */
export function encodeSlot(view: SlotView, out: Float32Array): void {
  const { config } = view;
  let input = 0;
  let output = 0;
  for (let i = 0; i < view.count; i++) {
    input += view.inputTokens[i];
    output += view.predictedTokens[i];
  }
  let present = 0;
  for (let s = 0; s < view.serverCount; s++) present += view.requestsOn(s);
  out[0] = clipped(view.count / config.users);
  out[1] = clipped(input / (config.users * config.meanInputTokens));
  out[2] = clipped(output / (config.users * config.meanOutputTokens));
  out[3] = clipped(present / (4 * config.users));
}
