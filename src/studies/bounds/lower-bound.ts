import { aloneBound } from './alone';
import type { Episode } from './episode';
import { pricedEpisode } from './priced-episode';

/** The most that rounding takes from a sum of doubles, relative. */
const ROUNDING = 1e-9;

/**
 * A lower bound on the mean D_tot (III-E), s, of *any* scheduler in an episode, one that knows the future included, DEED
 * or static; NaN without requests. No assignment of the same requests to servers that can hold them has a smaller mean.
 * (A scheduler that has requests rejected, by sending them where they cannot fit, is not bounded: it leaves out latencies.)
 *
 * The servers' time is limited, so it is priced (Lagrange). Let iterations that start before the end of slot T cost
 * λ_s per second beside the n request-seconds per second of the requests in them. On server s they last at most
 * C_s = T·Δ + τ_s(M)/(1 − w) together, so, summing up a request's waits and its iterations,
 *   Σ D_tot ≥ Σ_i (waits of i before decoding) + Σ_iterations (n + λ_s)·τ − Σ_s λ_s·C_s.
 *
 * 1. By `tokenCharge` an iteration's cost is at least the charge of its tokens, which depends on request and server only.
 * 2. A batch Q of a slot is prefilled as one: Σ_Q D_pre = |Q|·Σ l_in/v ≥ (Σ √l_in)²/v ≥ Σ 2·μ·√l_in − μ²·v for any μ;
 *    or plainly ≥ Σ l_in/v. Transmission takes at least as long as alone.
 * 3. If an iteration of i starts only after slot T, the tokens from there on bear no λ, and a + b·c each is left. But i
 *    has then been there since its arrival, and all but at most l_out·τ_s(M)/(1 − w) of that was waiting.
 *
 * With p_is, at most the cost of i on s (the smaller of the cases of 3), Σ D_tot ≥ Σ_i min_s p_is − Σ_s λ_s·C_s − Σ μ²·v.
 * This holds for *every* λ, μ ≥ 0 and line below τ; a search chooses good ones. Left out, which only lowers the bound:
 * the wait for an iteration's end, the prefill's slow-down w, and that slots come one by one.
 */
export function lowerBound(episode: Episode): number {
  const { bound, search } = pricedEpisode(episode);
  return Math.max(aloneBound(episode), bound(search()) / episode.requests.length) * (1 - ROUNDING);
}
