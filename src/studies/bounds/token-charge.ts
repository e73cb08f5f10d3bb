import type { Line } from './convex-lines';

/** The charge on every token that a server generates. */
export interface Charge {
  /** λ ≥ 0: price of a second of the server, in request-seconds per second. */
  readonly price: number;
  /** θ in [0, 1]: the share of the price that is charged by the KV memory held, not by the others in the batch. */
  readonly byMemory: number;
  /** τ(m) ≥ a + b·m, tokens. */
  readonly line: Line;
}

/** Three numbers that belong to 1, c and √c: sums over tokens, or the rates of a charge, s. */
export interface TokenSums {
  readonly ones: number;
  readonly held: number;
  readonly roots: number;
}

/**
 * The part of an iteration's cost that one token bears when its request holds c tokens, s:
 *   φ(c) = a + λ·(b + θ·a/M)·c + 2·√(λ·(1 − θ)·a·b·c).
 *
 * An iteration of a batch of n requests that hold c_1 … c_n, Σ c_j ≤ m ≤ M, costs n request-seconds per second and λ
 * for the server. It never costs less than its tokens bear, whatever the batch:
 *   (n + λ)·τ(m) ≥ (n + λ)·(a + b·m) ≥ n·a + λ·b·m + λ·θ·a·m/M + [λ·(1 − θ)·a + b·n·m]    since m ≤ M
 *               ≥ n·a + λ·(b + θ·a/M)·m + 2·√(λ·(1 − θ)·a·b·n·m)                            x + y ≥ 2·√(x·y)
 *               ≥ Σ_j φ(c_j),                                                √(n·m) ≥ Σ √c_j by Cauchy and Schwarz.
 *
 * @param maxTokens M, tokens.
 * @returns the three coefficients of φ, of 1, c and √c.
 */
export function chargeRates({ price, byMemory, line: { a, b } }: Charge, maxTokens: number): TokenSums {
  return {
    ones: a,
    held: price * (b + (byMemory * a) / maxTokens),
    roots: 2 * Math.sqrt(price * (1 - byMemory) * a * b),
  };
}

/** The cost that some tokens bear at these rates, from their sums of 1, c and √c, s. */
export function asked(rates: TokenSums, { ones, held, roots }: TokenSums): number {
  return rates.ones * ones + rates.held * held + rates.roots * roots;
}

/**
 * The highest charge at a price, among the lines and all θ.
 *
 * @param tokens Σ 1, Σ c and Σ √c over the tokens that it is chosen for.
 */
export function dearestCharge(price: number, lines: readonly Line[], maxTokens: number, tokens: TokenSums): Charge {
  let best: Charge = { price, byMemory: 0, line: lines[0] };
  let most = -Infinity;
  for (const line of lines) {
    // φ is concave in θ; where its derivative is 0, √(1 − θ) = M·√(b/(λ·a))·Σ√c/Σc.
    const root = price > 0 ? maxTokens * Math.sqrt(line.b / (price * line.a)) * (tokens.roots / tokens.held) : 1;
    const charge = { price, byMemory: 1 - Math.min(1, root * root), line };
    const sum = asked(chargeRates(charge, maxTokens), tokens);
    if (sum > most) [best, most] = [charge, sum];
  }
  return best;
}
