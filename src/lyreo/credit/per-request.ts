import type { Rollout } from '../rollout';

/**
 * Divides each slot's credit by its own spread plus the median spread of all slots. An overloaded stretch of an episode
 * has credit a hundred times that of sound slots; normalised, every slot counts, and a slot in which the choice made no
 * difference is not amplified.
 *
 * @param credit [T·U].
 */
export function normalisedPerSlot(credit: Float32Array, U: number): Float32Array {
  const spreads = Float64Array.from({ length: credit.length / U }, (_, t) =>
    spread(credit.subarray(t * U, (t + 1) * U)),
  );
  const median = spreads.slice().sort()[Math.floor(spreads.length / 2)];
  return credit.map((a, d) => a / (spreads[Math.floor(d / U)] + median + 1e-12));
}

/**
 * Predicted credit, scaled down slot by slot to at most `most` times the spread of the observed credit. In an overloaded
 * system returns to go are hundreds of times larger than any one request's part in them, and an error of a few percent
 * would drown the observed latency.
 */
export function bounded(predicted: Float32Array, observed: Float32Array, U: number, most: number): Float32Array {
  const out = new Float32Array(predicted.length);
  for (let from = 0; from < predicted.length; from += U) {
    const slot = predicted.subarray(from, from + U);
    const scale = Math.min(1, (most * spread(observed.subarray(from, from + U))) / (spread(slot) + 1e-12));
    for (let i = 0; i < U; i++) out[from + i] = slot[i] * scale;
  }
  return out;
}

/** Subtracts each slot's mean from the credit of its answered requests, in place; the others get 0. */
export function centre(credit: Float32Array, { answered, requests: U }: Rollout): void {
  for (let from = 0; from < credit.length; from += U) {
    let count = 0;
    let mean = 0;
    for (let d = from; d < from + U; d++) count += answered[d];
    for (let d = from; d < from + U; d++) if (answered[d] === 1) mean += credit[d] / count;
    for (let d = from; d < from + U; d++) credit[d] = answered[d] === 1 ? credit[d] - mean : 0;
  }
}

/**
 * Adds the slot's immediate advantage to the credit of each of its requests, in place.
 *
 * @param immediate [T].
 */
export function addImmediate(
  credit: Float32Array,
  immediate: Float64Array,
  { requests: U }: Rollout,
  share: number,
): void {
  for (let d = 0; d < credit.length; d++) credit[d] += share * immediate[Math.floor(d / U)];
}

/** Root mean square. */
function spread(values: Float32Array): number {
  let square = 0;
  for (const x of values) square += (x * x) / values.length;
  return Math.sqrt(square);
}
