import { mean } from '../../core/statistics';
import { kvTokenIterations } from '../../system/token-counts';
import { convexLines, type Line } from './convex-lines';
import { type Episode, canHold, sumsOverTokens } from './episode';

/** Steps in the search for prices. */
const STEPS = 200;
/** Requests that the search looks at; the bound itself counts all. */
const SAMPLE = 1000;

/** The free variables of the bound. */
export interface Prices {
  /** λ_s ≥ 0: price of a second of the server, request-seconds per second, [S]. */
  readonly time: readonly number[];
  /** Share of a slot's Σ √l_in that the prefill's μ = share·Σ √l_in/v is set for, [S]. */
  readonly share: readonly number[];
}

/** The use of each server by requests that are spread over them: time, s, and Σ √l_in, [S]. */
interface Use {
  readonly seconds: number[];
  readonly roots: number[];
}

/** Three numbers that belong to 1, c and √c: sums over tokens, or the charge of one token, s. */
export type TokenSums = readonly [ones: number, held: number, roots: number];

/**
 * The part of an iteration's cost that a token bears when its request holds c tokens, s, with a line τ(m) ≥ a + b·m:
 *   φ(c) = a + λ·b·c + 2·√(λ·a·b·c).
 *
 * An iteration of a batch of n requests that hold c_1 … c_n, Σ c_j ≤ m, costs n request-seconds per second and λ for
 * the server. It never costs less than its tokens bear, for any batch:
 *   (n + λ)·τ(m) ≥ (n + λ)·(a + b·m) = n·a + λ·b·m + [λ·a + b·n·m]
 *               ≥ n·a + λ·b·m + 2·√(λ·a·b·n·m)                         x + y ≥ 2·√(x·y)
 *               ≥ Σ_j φ(c_j),                                          √(n·m) ≥ Σ √c_j by Cauchy and Schwarz.
 *
 * @returns the coefficients of φ.
 */
export function tokenCharge(price: number, { a, b }: Line): TokenSums {
  return [a, price * b, 2 * Math.sqrt(price * a * b)];
}

/** The cost that some tokens bear, from their sums of 1, c and √c, s. */
export function borne(charge: TokenSums, sums: TokenSums): number {
  return charge[0] * sums[0] + charge[1] * sums[1] + charge[2] * sums[2];
}

/** The dual function of an episode's servers (see `lowerBound`). */
export interface PricedEpisode {
  /** The lower bound on Σ D_tot that these prices give, s. */
  readonly bound: (prices: Prices) => number;
  /**
   * Prices under which every server's time is about used up. They follow the excess of the requests' use over
   * the capacity, requests being spread over servers of nearly equal cost; the best of a sample are kept. The dual
   * function is concave in λ, and how well it is maximised decides only how tight the bound is.
   */
  readonly search: () => Prices;
}

export function pricedEpisode(episode: Episode): PricedEpisode {
  const { servers, constants, maxTokens, requests, config } = episode;
  const { kvBytesPerToken, prefillSlowdown, slotSeconds } = constants;
  const lines = servers.map(({ decodeProfile }, s) => convexLines(decodeProfile, kvBytesPerToken, maxTokens[s]));
  /** τ_s(M)/(1 − w), s. */
  const longest = servers.map(({ decodeProfile }) => {
    const { iterationsPerSecond } = decodeProfile[decodeProfile.length - 1];
    return 1 / iterationsPerSecond / (1 - prefillSlowdown);
  });
  /** C_s, s. */
  const capacity = longest.map((seconds) => config.slots * slotSeconds + seconds);
  const rootsTo = sumsOverTokens(episode, Math.sqrt);
  /** l_out, Σ c and Σ √c over a request's tokens, [N]; charges are chosen for their means. */
  const tokens = requests.map(({ inputTokens: input, outputTokens: output }): TokenSums => [
    output,
    kvTokenIterations(input, output),
    rootsTo[input + output] - rootsTo[input],
  ]);
  const meanOf = (k: 0 | 1 | 2): number => mean(tokens.map((sums) => sums[k]));
  const meanTokens: TokenSums = [meanOf(0), meanOf(1), meanOf(2)];
  /** Σ l_in and Σ √l_in of each slot, [T]. */
  const slotInput = new Float64Array(config.slots);
  const slotRoots = new Float64Array(config.slots);
  for (const { slot, inputTokens } of requests) {
    slotInput[slot] += inputTokens;
    slotRoots[slot] += Math.sqrt(inputTokens);
  }
  /** D_tx alone, s, [N][S]; ∞ where the pool cannot hold the request. */
  const transmission = requests.map((request) =>
    servers.map((_, s) => (canHold(episode, request, s) ? request.transmissionSeconds(s, 1) : Infinity)),
  );

  /** The line with the highest charge at a price. */
  const dearest = (price: number, s: number): Line => {
    const charge = (line: Line): number => borne(tokenCharge(price, line), meanTokens);
    return lines[s].reduce((best, line) => (charge(line) > charge(best) ? line : best));
  };
  /** Whether the prefill of slot t is charged by 2·μ·√l_in − μ²·v, not by l_in/v: the greater of the two counts. */
  const asBatch = (t: number, share: number): boolean => share * slotRoots[t] ** 2 > slotInput[t];

  /**
   * The bound from every `stride`-th request, each counted `stride` times; a bound only if the stride is 1. With `spread`
   * also the use, each request being spread over the servers whose costs differ by about that much, relative.
   */
  const evaluate = ({ time, share }: Prices, stride: number, spread?: number): Use & { readonly value: number } => {
    const chosen = servers.map((_, s) => dearest(time[s], s));
    const charges = chosen.map((line, s) => tokenCharge(time[s], line));
    const use: Use = { seconds: servers.map(() => 0), roots: servers.map(() => 0) };
    let value = 0;
    for (let n = 0; n < requests.length; n += stride) {
      const { slot: t, inputTokens: input } = requests[n];
      const [output, held, roots] = tokens[n];
      const costs = chosen.map(({ a, b }, s) => {
        const prefill = asBatch(t, share[s]) ? 2 * share[s] * slotRoots[t] * Math.sqrt(input) : input;
        const before = transmission[n][s] + prefill / servers[s].prefillTokensPerSecond;
        const within = before + borne(charges[s], tokens[n]);
        const waited = (config.slots - t) * slotSeconds - output * longest[s];
        return Math.min(within, Math.max(before, waited) + a * output + Math.min(1, time[s]) * b * held);
      });
      const least = Math.min(...costs);
      value += least * stride;
      if (spread === undefined) continue;
      const weights = costs.map((cost) => Math.exp((least - cost) / (spread * least)));
      const total = weights.reduce((x, y) => x + y, 0);
      chosen.forEach(({ a, b }, s) => {
        const part = (weights[s] / total) * stride;
        // The derivative of the token charge by the price.
        use.seconds[s] += part * (b * held + Math.sqrt((a * b) / time[s]) * roots);
        use.roots[s] += part * Math.sqrt(input);
      });
    }
    servers.forEach(({ prefillTokensPerSecond }, s) => {
      value -= time[s] * capacity[s];
      for (let t = 0; t < config.slots; t++)
        if (asBatch(t, share[s])) value -= (share[s] * slotRoots[t]) ** 2 / prefillTokensPerSecond;
    });
    return { value, ...use };
  };

  return {
    bound: (prices) => evaluate(prices, 1).value,
    search() {
      const stride = Math.max(1, Math.floor(requests.length / SAMPLE));
      let prices: Prices = { time: servers.map(() => 1), share: servers.map(() => 1 / servers.length) };
      let best = prices;
      let most = -Infinity;
      for (let step = 0; step < STEPS; step++) {
        const slack = (1 - step / STEPS) ** 2;
        const { value, seconds, roots } = evaluate(prices, stride, 0.005 + 0.05 * slack);
        if (value > most) [best, most] = [prices, value];
        const sum = roots.reduce((a, b) => a + b, 0);
        prices = {
          time: prices.time.map((price, s) => {
            const excess = Math.max(-1, Math.min(1, seconds[s] / capacity[s] - 1));
            return Math.max(1e-6, price * Math.exp((0.02 + 0.4 * slack) * excess));
          }),
          share: prices.share.map((share, s) => (sum > 0 ? share + 0.1 * (roots[s] / sum - share) : share)),
        };
      }
      return best;
    },
  };
}
