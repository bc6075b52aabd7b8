import { type FoldKind } from "@palimpsest/context";
import { type ContextEvent } from "@palimpsest/langgraph";

/** What a run measured. `--json` prints it as the last line. */
export interface DemoResult {
  readonly packages: number;
  /** Calls of the model by the agent itself. */
  readonly steps: number;
  /** Calls of the model by its subagents. */
  readonly subagentSteps: number;
  /** Tokens of everything that the tools returned, before offloading. */
  readonly toolTokens: number;
  readonly windowTokens: number;
  /** Tokens of the largest prompt, system prompt and tool schemas included. */
  readonly peakPromptTokens: number;
  /** Folds by kind; 0 for a kind of the ladder that did not occur. */
  readonly folds: Readonly<Partial<Record<FoldKind, number>>>;
  readonly compressContextCalls: number;
  /** Compactions that the agent had not asked for: its context reached 95 % of the window. */
  readonly safetyNetFires: number;
  readonly answersCorrect: number;
  readonly answersTotal: number;
  /** Messages of all threads after every fold was undone. */
  readonly messagesUnfolded: number;
  /** True when the unfolded threads are byte for byte what the model and the tools produced. */
  readonly bytesIdentical: boolean;
  /** Step at which the same job without Palimpsest no longer fits the window; null when it was not run or fits. */
  readonly overflowStepWithout: number | null;
  readonly seconds: number;
}

const ladder = { offload: 0, stale: 0, input: 0, mask: 0, summary: 0, trim: 0 };

/** Returns the folds by kind, and the compactions by the safety net. Pure. */
export function countFolds(events: readonly ContextEvent[]): Pick<DemoResult, "folds" | "safetyNetFires"> {
  const folds: Partial<Record<FoldKind, number>> = { ...ladder };
  let safetyNetFires = 0;
  for (const event of events) {
    if (event.type === "context.fold") folds[event.fold.kind] = (folds[event.fold.kind] ?? 0) + 1;
    if (event.type === "context.compaction" && event.reason === "safety-net") safetyNetFires += 1;
  }
  return { folds, safetyNetFires };
}

/** Returns what went wrong in a run, one sentence each; empty when all is well. Pure. */
export function problemsOf(
  result: Pick<
    DemoResult,
    "answersCorrect" | "answersTotal" | "peakPromptTokens" | "windowTokens" | "bytesIdentical"
  >,
): string[] {
  const { answersCorrect, answersTotal, peakPromptTokens, windowTokens, bytesIdentical } = result;
  return [
    ...(answersTotal === 0 ? ["No answer was checked."] : []),
    ...(answersCorrect < answersTotal
      ? [`${answersTotal - answersCorrect} of ${answersTotal} answers are wrong.`]
      : []),
    ...(bytesIdentical ? [] : ["An unfolded thread differs from what was produced."]),
    ...(peakPromptTokens > windowTokens
      ? [`A prompt of ${peakPromptTokens} tokens exceeded the window of ${windowTokens}.`]
      : []),
  ];
}
