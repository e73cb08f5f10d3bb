import type { Line } from './convex-lines';

/** What a server asks of every token that is made on it. */
export interface Charge {
  /** λ ≥ 0: price of a second of the server, in request-seconds per second. */
  readonly price: number;
  /** θ in [0, 1]: how far the price is charged by the KV memory held rather than by the company in the batch. */
  readonly byMemory: number;
  /** τ(m) ≥ a + b·m, tokens. */
  readonly line: Line;
}

/** Three numbers that go with 1, c and √c: sums over tokens, or what a charge asks of each, s. */
export interface TokenSums {
  readonly ones: number;
  readonly held: number;
  readonly roots: number;
}

/**
 * What one token must bear of an iteration's cost when its request holds c tokens, s:
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

/** What the rates ask of some tokens: sums over them of 1, c and √c. */
export function asked(rates: TokenSums, { ones, held, roots }: TokenSums): number {
  return rates.ones * ones + rates.held * held + rates.roots * roots;
}

/**
 * The charge at a price that asks most, among the lines and all θ.
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
