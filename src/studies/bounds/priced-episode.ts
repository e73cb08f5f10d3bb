import { mean } from '../../core/statistics';
import { kvTokenIterations } from '../../system/token-counts';
import { convexLines, type Line } from './convex-lines';
import { type Episode, canHold } from './episode';

/** Steps in the search for prices. */
const STEPS = 200;
/** Requests that the search looks at; the bound itself counts all. */
const SAMPLE = 1000;

/** The free variables of the bound. */
export interface Prices {
  /** λ_s ≥ 0: price of a second of the server, request-seconds per second, [S]. */
  readonly time: Float64Array;
  /** Share of a slot's Σ √l_in that the prefill's μ = share·Σ √l_in/v is set for, [S]. */
  readonly share: Float64Array;
}

/** Three numbers that belong to 1, c and √c: sums over tokens, or what one token bears, s. */
export type TokenSums = readonly [ones: number, held: number, roots: number];

/**
 * The part of an iteration's cost that a token bears when its request holds c tokens, s, with a line τ(m) ≥ a + b·m:
 *   φ(c) = a + λ·b·c + 2·√(λ·a·b·c).
 *
 * An iteration of a batch of n requests that hold c_1 … c_n, Σ c_j ≤ m, costs n request-seconds per second and λ for
 * the server. It never costs less than its tokens bear, whatever the batch:
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

/**
 * The dual function of an episode's servers: a lower bound on Σ D_tot for every choice of prices (see `lowerBound`).
 */
export class PricedEpisode {
  private readonly lines: readonly (readonly Line[])[];
  /** Longest iteration, τ_s(M)/(1 − w), s, [S]. */
  private readonly longest: Float64Array;
  /** C_s, s, [S]. */
  private readonly capacity: Float64Array;
  /** l_out, Σ c and Σ √c over a request's tokens, [N]; charges are chosen for their means. */
  private readonly tokens: readonly TokenSums[];
  private readonly meanTokens: TokenSums;
  /** Σ l_in and Σ √l_in of each slot, [T]. */
  private readonly slotInput: Float64Array;
  private readonly slotRoots: Float64Array;
  /** D_tx alone, s, [N, S]; ∞ where the pool cannot hold the request. */
  private readonly transmission: Float64Array;

  constructor(private readonly episode: Episode) {
    const { servers, constants, maxTokens, count, inputTokens, outputTokens, slot, config } = episode;
    const S = servers.length;
    this.lines = servers.map((server, s) => convexLines(server.decodeProfile, constants.kvBytesPerToken, maxTokens[s]));
    this.longest = Float64Array.from(servers, ({ decodeProfile }) => {
      const { iterationsPerSecond } = decodeProfile[decodeProfile.length - 1];
      return 1 / iterationsPerSecond / (1 - constants.prefillSlowdown);
    });
    this.capacity = this.longest.map((seconds) => config.slots * config.slotSeconds + seconds);
    // Σ_{c=1..n} √c for n = 0, 1, …, the largest request.
    const roots = new Float64Array(
      inputTokens.reduce((most, input, n) => Math.max(most, input + outputTokens[n]), 0) + 1,
    );
    for (let c = 1; c < roots.length; c++) roots[c] = roots[c - 1] + Math.sqrt(c);
    this.tokens = Array.from(inputTokens, (input, n): TokenSums => {
      const output = outputTokens[n];
      return [output, kvTokenIterations(input, output), roots[input + output] - roots[input]];
    });
    const meanOf = (k: 0 | 1 | 2): number => mean(this.tokens.map((sums) => sums[k]));
    this.meanTokens = [meanOf(0), meanOf(1), meanOf(2)];
    this.slotInput = new Float64Array(config.slots);
    this.slotRoots = new Float64Array(config.slots);
    inputTokens.forEach((input, n) => {
      this.slotInput[slot[n]] += input;
      this.slotRoots[slot[n]] += Math.sqrt(input);
    });
    this.transmission = Float64Array.from({ length: count * S }, (_, i) => {
      const [n, s] = [Math.floor(i / S), i % S];
      return canHold(episode, n, s) ? episode.transmissionSeconds(n, s, 1) : Infinity;
    });
  }

  /** The lower bound on Σ D_tot that these prices give, s. */
  bound(prices: Prices): number {
    return this.evaluate(prices, 1).value;
  }

  /**
   * Prices under which every server's time is about used up. They follow the excess of what requests would use over
   * what there is, requests being spread over servers of nearly equal cost; the best of a sample are kept. The dual
   * function is concave in λ, and how well it is maximised decides only how tight the bound is.
   */
  search(): Prices {
    const { capacity, episode } = this;
    const stride = Math.max(1, Math.floor(episode.count / SAMPLE));
    const prices: Prices = { time: capacity.map(() => 1), share: capacity.map(() => 1 / capacity.length) };
    let best = prices;
    let most = -Infinity;
    for (let step = 0; step < STEPS; step++) {
      const slack = (1 - step / STEPS) ** 2;
      const { value, seconds, roots } = this.evaluate(prices, stride, 0.005 + 0.05 * slack);
      if (value > most) [best, most] = [{ time: prices.time.slice(), share: prices.share.slice() }, value];
      const sum = roots.reduce((a, b) => a + b, 0);
      for (let s = 0; s < capacity.length; s++) {
        const excess = Math.max(-1, Math.min(1, seconds[s] / capacity[s] - 1));
        prices.time[s] = Math.max(1e-6, prices.time[s] * Math.exp((0.02 + 0.4 * slack) * excess));
        if (sum > 0) prices.share[s] += 0.1 * (roots[s] / sum - prices.share[s]);
      }
    }
    return best;
  }

  /**
   * The bound from every `stride`-th request, each counted `stride` times; a bound only if the stride is 1. With `spread`
   * also the requests' use of each server, time [s] and Σ √l_in, [S], each request being spread over the servers whose
   * costs differ by about that much, relative.
   */
  private evaluate(
    { time, share }: Prices,
    stride: number,
    spread?: number,
  ): { readonly value: number; readonly seconds: Float64Array; readonly roots: Float64Array } {
    const { episode, capacity, slotRoots, lines, longest, tokens } = this;
    const { servers, slot, config } = episode;
    const S = capacity.length;
    const chosen = Array.from(time, (price, s) => this.dearest(price, lines[s]));
    const charges = chosen.map((line, s) => tokenCharge(time[s], line));
    const use = { seconds: new Float64Array(S), roots: new Float64Array(S) };
    const costs = new Float64Array(S);
    let value = 0;
    for (let n = 0; n < episode.count; n += stride) {
      const t = slot[n];
      const input = episode.inputTokens[n];
      const [output, held, roots] = tokens[n];
      const left = (config.slots - t) * config.slotSeconds;
      for (let s = 0; s < S; s++) {
        const prefill = this.asBatch(t, share[s]) ? 2 * share[s] * slotRoots[t] * Math.sqrt(input) : input;
        const before = this.transmission[n * S + s] + prefill / servers[s].prefillTokensPerSecond;
        const { a, b } = chosen[s];
        const within = before + borne(charges[s], tokens[n]);
        const waited = left - output * longest[s];
        const beyond = Math.max(before, waited) + a * output + Math.min(1, time[s]) * b * held;
        costs[s] = Math.min(within, beyond);
      }
      const least = Math.min(...costs);
      value += least * stride;
      if (spread === undefined) continue;
      const weights = costs.map((cost) => Math.exp((least - cost) / (spread * least)));
      const total = weights.reduce((x, y) => x + y, 0);
      for (let s = 0; s < S; s++) {
        const part = (weights[s] / total) * stride;
        const { a, b } = chosen[s];
        // The derivative of the token charge by the price.
        use.seconds[s] += part * (b * held + Math.sqrt((a * b) / time[s]) * roots);
        use.roots[s] += part * Math.sqrt(input);
      }
    }
    for (let s = 0; s < S; s++) {
      value -= time[s] * capacity[s];
      for (let t = 0; t < config.slots; t++)
        if (this.asBatch(t, share[s])) value -= (share[s] * slotRoots[t]) ** 2 / servers[s].prefillTokensPerSecond;
    }
    return { value, ...use };
  }

  /** Whether the prefill of slot t is charged by 2·μ·√l_in − μ²·v, not by l_in/v: the greater of the two counts. */
  private asBatch(t: number, share: number): boolean {
    return share * this.slotRoots[t] ** 2 > this.slotInput[t];
  }

  /** The line with the highest charge at a price. */
  private dearest(price: number, lines: readonly Line[]): Line {
    const charge = (line: Line): number => borne(tokenCharge(price, line), this.meanTokens);
    return lines.reduce((best, line) => (charge(line) > charge(best) ? line : best));
  }
}
