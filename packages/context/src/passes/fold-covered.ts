import type { BaseMessage } from "@langchain/core/messages";
import { cutPoints, foldRules } from "../cuts/cut-rules.js";
import { standIn, type Fold } from "../folds/fold.js";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { isSignedCompaction, nativeStart } from "../messages/native-compaction.js";
import { defaults } from "../options.js";
import { summaryRecord } from "../summary/apply-summary.js";
import {
  leadingSystems,
  planRegion,
  type PlanSummaryOptions,
  type SummaryPlan,
} from "../summary/plan-summary.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";

export type FoldCoveredOptions = Omit<PlanSummaryOptions, "cut"> & {
  /** Reason for the fold; stored with it. */
  readonly reason?: string | undefined;
};

/**
 * Moves the messages to the archive that a provider's own compaction covers. The message with that compaction stays as it
 * is; its metadata carries the fold, and no text stands for the covered messages.
 *
 * Pure. The user's words and pins stay before the message, unless its block must be the first of a request. Changes nothing
 * where a call and its results are on both sides of the message.
 */
export function foldCovered(messages: readonly BaseMessage[], options: FoldCoveredOptions = {}): Rewrite {
  const at = nativeStart(messages);
  const carrier = messages[at];
  if (carrier === undefined || !cutPoints(messages, foldRules).includes(at)) return unchanged(messages);
  const plan = planCovered(messages, at, options);
  if (plan === undefined) return unchanged(messages);
  const { tokenCounter = estimateTokens, reason } = options;
  const { content, readable, name, generation, about } = summaryRecord({
    ...plan,
    region: [...plan.region, carrier],
  });
  const stem = `/context/history/${String(generation).padStart(4, "0")}-${name}`;
  const fold: Fold = {
    id: `native-${name}`,
    kind: "native",
    path: `${stem}.md`,
    record: `${stem}.jsonl`,
    covers: idsOf([...plan.region, carrier]),
    carried: idsOf(plan.carried),
    generation,
    ...(about === "" ? {} : { about }),
    ...(reason === undefined ? {} : { reason }),
    tokensBefore: tokenCounter(plan.folded),
    tokensAfter: 0,
  };
  return {
    messages: [...plan.head, ...plan.carried, standIn(carrier, fold, {}), ...messages.slice(at + 1)],
    writes: [
      { path: `${stem}.jsonl`, content },
      { path: fold.path, content: readable },
    ],
    folds: [fold],
  };
}

function planCovered(
  messages: readonly BaseMessage[],
  at: number,
  { pin, userTokens = defaults.userTokens, tokenCounter = estimateTokens }: FoldCoveredOptions,
): SummaryPlan | undefined {
  const carrier = messages[at];
  const start = leadingSystems(messages);
  if (carrier === undefined || at <= start) return undefined;
  if (!isSignedCompaction(carrier)) {
    return planRegion(messages, { start, cut: at, pin, userTokens, tokenCounter });
  }
  const region = messages.slice(start, at);
  const [carried, folded] = [region.filter(isSystem), region.filter((message) => !isSystem(message))];
  if (folded.length === 0) return undefined;
  return { head: messages.slice(0, start), region, carried, folded, tail: messages.slice(at) };
}

function isSystem(message: BaseMessage): boolean {
  return message.getType() === "system";
}

function idsOf(messages: readonly BaseMessage[]): readonly string[] {
  return messages.flatMap(({ id }) => (id === undefined ? [] : [id]));
}
