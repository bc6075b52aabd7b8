/** The outcome of a task. */
export interface Outcome {
  /** The last answer of each turn. */
  readonly answers: readonly string[];
  /** Tool calls that the agent's model made, oldest first. */
  readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
  /** Prompts that the agent's model and the summary model got, oldest first. */
  readonly prompts: readonly string[];
  readonly compactions: number;
  /** Where the first compaction lies among the calls. */
  readonly callsAtFirstCompaction: number | undefined;
  readonly peakTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Errors that ended a turn. */
  readonly deaths: readonly string[];
}
