/** Every default of this package, in one place: functions, nodes and middleware read them from here. */
export const defaults = {
  /** Tokens of a tool result over which it is offloaded (Deep Agents). */
  offloadTokens: 20_000,
  /** Share of the window that the results of one step may take together before the largest are offloaded. */
  batchFraction: 0.25,
  /** Lines of a preview (Deep Agents). */
  previewLines: 10,
  /** Characters of a preview line; longer ones are clipped. */
  previewLineLength: 200,
  /** Characters of a string argument over which an old tool call is truncated (Deep Agents). */
  inputCharacters: 2_000,
  /** Calling steps whose results are not masked (Complexity Trap, M = 10). */
  maskKeepSteps: 10,
  /** Automatic compaction (Deep Agents). */
  trigger: { fraction: 0.85 },
  /** Automatic compaction when the agent has `compress_context` (SynthOrg, recommendation 4). */
  safetyTrigger: { fraction: 0.95 },
  /** Share of the trigger below which a request of the agent is refused. */
  agentShare: 0.5,
  /** Share of the window by which each notch of a tighter budget lowers the trigger (SynthOrg, recommendation 8). */
  budgetPoints: 0.1,
  /** What a compaction leaves alone at the end of the context (Deep Agents). */
  keep: { fraction: 0.1 },
  /** Share of the trigger at or below which the ladder stops: the gap is what keeps compactions rare. */
  settle: 0.7,
  /** Tokens that an agent reads once more for each compaction (evals, cost: recorded coding runs). */
  rereadTokens: 1_200,
  /** Share of the context that a compaction has to free, or it is not applied. */
  minProgress: 0.05,
  /** Tokens of folded user messages that stay verbatim, newest first, besides the first and the latest. */
  userTokens: 20_000,
  /** Milliseconds that the summary model may take for one summary. */
  summaryTimeoutMs: 120_000,
  /** Tokens that a summary may take. */
  summaryTokens: 2_000,
  /** Tokens of lines that a summary shows word for word; at most a sixteenth of the window. */
  excerptTokens: 1_500,
  /** Tokens of the automatic summary of one step (folding). */
  microTokens: 65,
  /** Tokens of the automatic summary of several blocks (folding). */
  macroTokens: 160,
  /** Newest blocks that no automatic consolidation touches (folding). */
  recentBlocks: 24,
  /** Tokens that all blocks may have together (folding). */
  blockTokens: 16_000,
  /** Steps without anything new after which the model is advised to consolidate (folding). */
  deadEndSteps: 10,
} as const;
