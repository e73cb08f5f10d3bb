import type { RequestTable } from './request-table';
import { expectedTokens, kvTokenIterations, promptTokens } from './token-counts';

/** Sums over all requests of a server of the predicted tokens that are still to be generated, max(l̂ − g, 0) each. */
export class ExpectedWork {
  tokens = 0;
  /** Σ (l_in + k) over these tokens, token-iterations. */
  tokenIterations = 0;

  receive(inputTokens: number, predictedTokens: number): void {
    this.tokens += predictedTokens;
    this.tokenIterations += kvTokenIterations(inputTokens, predictedTokens);
  }

  /** Counts what a request that had outgrown its prediction is expected to generate after its preemption: one token. */
  receiveAgain(promptTokens: number): void {
    this.tokens++;
    this.tokenIterations += promptTokens + 1;
  }

  /** Takes off the tokens that were generated, and the tokens that they held over the iterations. */
  progress(tokens: number, tokenIterations: number): void {
    this.tokens -= tokens;
    this.tokenIterations -= tokenIterations;
  }

  /** Takes off the predicted tokens that a finished request did not need. */
  finish(table: RequestTable, handle: number): void {
    const output = table.outputTokens[handle] - table.generatedTokens[handle];
    const predicted = expectedTokens(table, handle);
    if (predicted <= output) return;
    const prompt = promptTokens(table, handle);
    this.progress(predicted - output, kvTokenIterations(prompt, predicted) - kvTokenIterations(prompt, output));
  }

  clone(): ExpectedWork {
    const copy = new ExpectedWork();
    copy.progress(-this.tokens, -this.tokenIterations);
    return copy;
  }
}
