import { mean } from '../../core/statistics';
import { kvTokenIterations } from '../../system/token-counts';
import { convexLines, type Line } from './convex-lines';
import { type Episode, canHold } from './episode';
import { type Charge, type TokenSums, chargeRates, dearestCharge } from './token-charge';

/** Steps in the search for prices. */
const STEPS = 200;
/** Requests that the search looks at; the bound itself counts all. */
const SAMPLE = 1000;

/** The free variables of the bound. */
export interface Prices {
  /** λ_s, request-seconds per second of the server, [S]. */
  readonly time: Float64Array;
  /** Share of a slot's Σ √l_in that the prefill's μ = share·Σ √l_in/v is set for, [S]. */
  readonly share: Float64Array;
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
  /** v_pre, tokens/s, [S]. */
  private readonly prefillRate: Float64Array;
  /** Σ c and Σ √c over a request's tokens, and √l_in, [N]. */
  private readonly held: Float64Array;
  private readonly roots: Float64Array;
  private readonly inputRoots: Float64Array;
  /** Σ l_in and Σ √l_in of each slot, [T]. */
  private readonly slotInput: Float64Array;
  private readonly slotRoots: Float64Array;
  /** D_tx alone, s, [N, S]; ∞ where the pool cannot hold the request. */
  private readonly transmission: Float64Array;
  /** Means over requests of l_out, Σ c, Σ √c: charges are chosen for them. */
  private readonly mean: TokenSums;

  constructor(private readonly episode: Episode) {
    const { servers, constants, maxTokens, count, inputTokens, outputTokens, slot, config } = episode;
    const S = servers.length;
    this.lines = servers.map(({ decodeProfile }, s) =>
      convexLines(decodeProfile, constants.kvBytesPerToken, maxTokens[s]),
    );
    this.longest = Float64Array.from(servers, ({ decodeProfile }) => {
      const { iterationsPerSecond } = decodeProfile[decodeProfile.length - 1];
      return 1 / iterationsPerSecond / (1 - constants.prefillSlowdown);
    });
    this.capacity = this.longest.map((seconds) => config.slots * config.slotSeconds + seconds);
    this.prefillRate = Float64Array.from(servers, (spec) => spec.prefillTokensPerSecond);
    const rootSums = squareRootSums(episode);
    this.held = inputTokens.map((input, n) => kvTokenIterations(input, outputTokens[n]));
    this.roots = inputTokens.map((input, n) => rootSums[input + outputTokens[n]] - rootSums[input]);
    this.inputRoots = inputTokens.map(Math.sqrt);
    this.slotInput = new Float64Array(config.slots);
    this.slotRoots = new Float64Array(config.slots);
    this.transmission = new Float64Array(count * S);
    for (let n = 0; n < count; n++) {
      this.slotInput[slot[n]] += inputTokens[n];
      this.slotRoots[slot[n]] += this.inputRoots[n];
      for (let s = 0; s < S; s++)
        this.transmission[n * S + s] = canHold(episode, n, s) ? episode.transmissionSeconds(n, s, 1) : Infinity;
    }
    this.mean = { ones: mean(outputTokens), held: mean(this.held), roots: mean(this.roots) };
  }

  /** The lower bound on Σ D_tot that these prices give, s. */
  bound(prices: Prices): number {
    return this.evaluate(prices, 1, null);
  }

  /**
   * Prices under which every server's time is about used up. They follow the excess of what requests would use over
   * what there is, requests being spread over servers of nearly equal cost; the best of a sample are kept. The dual
   * function is concave in λ, and how well it is maximised decides only how tight the bound is.
   */
  search(): Prices {
    const { capacity, episode } = this;
    const S = capacity.length;
    const stride = Math.max(1, Math.floor(episode.count / SAMPLE));
    const prices: Prices = { time: new Float64Array(S).fill(1), share: new Float64Array(S).fill(1 / S) };
    let best = copyOf(prices);
    let most = -Infinity;
    for (let step = 0; step < STEPS; step++) {
      const slack = (1 - step / STEPS) ** 2;
      const use: Use = {
        seconds: new Float64Array(S),
        roots: new Float64Array(S),
        spread: 0.005 + 0.05 * slack,
        weights: new Float64Array(S),
      };
      const value = this.evaluate(prices, stride, use);
      if (value > most) [best, most] = [copyOf(prices), value];
      const roots = use.roots.reduce((a, b) => a + b, 0);
      const rate = 0.02 + 0.4 * slack;
      for (let s = 0; s < S; s++) {
        const excess = Math.max(-1, Math.min(1, use.seconds[s] / capacity[s] - 1));
        prices.time[s] = Math.max(1e-6, prices.time[s] * Math.exp(rate * excess));
        if (roots > 0) prices.share[s] += 0.1 * (use.roots[s] / roots - prices.share[s]);
      }
    }
    return best;
  }

  /**
   * The bound from every `stride`-th request, each counted `stride` times; a bound only if the stride is 1.
   *
   * @param use receives the requests' use of each server; null leaves that out.
   */
  private evaluate({ time, share }: Prices, stride: number, use: Use | null): number {
    const { episode, capacity, slotRoots, prefillRate, mean, lines, longest } = this;
    const { inputTokens, outputTokens, slot, config, maxTokens } = episode;
    const S = capacity.length;
    const charges = Array.from(time, (price, s) => dearestCharge(price, lines[s], maxTokens[s], mean));
    const rates = charges.map((charge, s) => chargeRates(charge, maxTokens[s]));
    const costs = new Float64Array(S);
    let sum = 0;
    for (let n = 0; n < episode.count; n += stride) {
      const t = slot[n];
      const output = outputTokens[n];
      const held = this.held[n];
      const left = (config.slots - t) * config.slotSeconds;
      let least = Infinity;
      for (let s = 0; s < S; s++) {
        const prefill = this.asBatch(t, share[s]) ? 2 * share[s] * slotRoots[t] * this.inputRoots[n] : inputTokens[n];
        const before = this.transmission[n * S + s] + prefill / prefillRate[s];
        const { ones, held: perHeld, roots: perRoot } = rates[s];
        const within = before + ones * output + perHeld * held + perRoot * this.roots[n];
        const { price, line } = charges[s];
        const waited = left - output * longest[s];
        const beyond = Math.max(before, waited) + line.a * output + Math.min(1, price) * line.b * held;
        const cost = Math.min(within, beyond);
        costs[s] = cost;
        if (cost < least) least = cost;
      }
      sum += least * stride;
      if (use !== null) this.spreadOver(n, costs, least, charges, use, stride);
    }
    for (let s = 0; s < S; s++) {
      sum -= time[s] * capacity[s];
      for (let t = 0; t < config.slots; t++)
        if (this.asBatch(t, share[s])) sum -= (share[s] * slotRoots[t]) ** 2 / prefillRate[s];
    }
    return sum;
  }

  /** Whether the prefill of slot t is charged by 2·μ·√l_in − μ²·v, not by l_in/v: the greater of the two counts. */
  private asBatch(t: number, share: number): boolean {
    return share * this.slotRoots[t] ** 2 > this.slotInput[t];
  }

  /** Adds the use that request n would make of each server if it were spread over those of nearly least cost. */
  private spreadOver(
    n: number,
    costs: Float64Array,
    least: number,
    charges: readonly Charge[],
    { seconds, roots, spread, weights }: Use,
    stride: number,
  ): void {
    let total = 0;
    for (let s = 0; s < costs.length; s++) {
      weights[s] = Math.exp((least - costs[s]) / (spread * least));
      total += weights[s];
    }
    for (let s = 0; s < costs.length; s++) {
      const part = (weights[s] / total) * stride;
      const {
        price,
        byMemory,
        line: { a, b },
      } = charges[s];
      // The derivative of the token charge by the price.
      const perHeld = b + (byMemory * a) / this.episode.maxTokens[s];
      seconds[s] += part * (perHeld * this.held[n] + Math.sqrt(((1 - byMemory) * a * b) / price) * this.roots[n]);
      roots[s] += part * this.inputRoots[n];
    }
  }
}

/** The use that requests would make of the servers. */
interface Use {
  /** Server time, s, [S]. */
  readonly seconds: Float64Array;
  /** Σ √l_in, [S]. */
  readonly roots: Float64Array;
  /** Costs that differ by this much, relative, count as nearly equal. */
  readonly spread: number;
  /** Room to work in, [S]. */
  readonly weights: Float64Array;
}

function copyOf({ time, share }: Prices): Prices {
  return { time: time.slice(), share: share.slice() };
}

/** Σ_{c=1..n} √c for n = 0, 1, …, the largest request. */
function squareRootSums({ count, inputTokens, outputTokens }: Episode): Float64Array {
  let largest = 0;
  for (let n = 0; n < count; n++) largest = Math.max(largest, inputTokens[n] + outputTokens[n]);
  const sums = new Float64Array(largest + 1);
  for (let c = 1; c <= largest; c++) sums[c] = sums[c - 1] + Math.sqrt(c);
  return sums;
}
