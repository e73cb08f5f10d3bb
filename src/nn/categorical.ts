/** log softmax of each row, [R, S]: l_j = x_j − max − ln Σ exp(x − max); `out` may be `logits` itself. */
export function logSoftmax(logits: Float32Array, choices: number, out: Float32Array): void {
  for (let begin = 0; begin < logits.length; begin += choices) {
    const end = begin + choices;
    let max = -Infinity;
    for (let k = begin; k < end; k++) if (logits[k] > max) max = logits[k];
    let sum = 0;
    for (let k = begin; k < end; k++) sum += Math.exp(logits[k] - max);
    const shift = max + Math.log(sum);
    for (let k = begin; k < end; k++) out[k] = logits[k] - shift;
  }
}

/** The choice 0..S−1 of one row of log probabilities whose share of [0, 1) holds u, a uniform draw. */
export function sample(logProbs: Float32Array, begin: number, choices: number, u: number): number {
  let last = 0;
  for (let s = 0; s < choices; s++) {
    const p = Math.exp(logProbs[begin + s]);
    if (p > 0) last = s;
    u -= p;
    if (u < 0) return s;
  }
  // Rounding left the probabilities a little short of 1.
  return last;
}
