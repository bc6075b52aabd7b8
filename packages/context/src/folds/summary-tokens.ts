/** Tokens of the calls that wrote one summary, as the provider reports them. */
export interface SummaryTokens {
  /** Calls of the model: pieces, retries and failed ones included. */
  readonly calls: number;
  /** Calls with tokens that the provider reported. The fields below do not count the others. */
  readonly reportedCalls: number;
  /** Tokens of all prompts, those read from a cache included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Tokens of the prompts that were read from the provider's cache. */
  readonly cachedTokens: number;
  /** The model of the last reply that names it, as the provider spells it. */
  readonly model?: string;
}
