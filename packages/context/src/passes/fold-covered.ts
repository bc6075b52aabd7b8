import type { BaseMessage } from "@langchain/core/messages";
import { cutPoints, foldRules } from "../cuts/cut-rules.js";
import { summaryFiles, type LaneOptions } from "../folds/archive-paths.js";
import { coverage, isOwn, standIn, type Fold, type OwnMessage } from "../folds/fold.js";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { copyMessage } from "../messages/copy-message.js";
import { isSignedCompaction, nativeStart } from "../messages/provider/native-compaction.js";
import { summaryRecord } from "../summary/apply-summary.js";
import {
  leadingSystems,
  planRegion,
  type PlanSummaryOptions,
  type SummaryPlan,
} from "../summary/plan-summary.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";

export type FoldCoveredOptions = Omit<PlanSummaryOptions, "cut"> &
  LaneOptions & {
    /** Reason for the fold; stored with it. */
    readonly reason?: string | undefined;
  };

/**
 * Moves the messages to the archive that a provider's own compaction covers. The message with that compaction stays as it is;
 * its metadata carries the fold, and no text replaces the covered messages.
 *
 * Pure. The user's messages and pins stay before the message, unless its block must be the first of a request. Changes nothing
 * if the message is between a call and its results.
 */
export function foldCovered(messages: readonly BaseMessage[], options: FoldCoveredOptions = {}): Rewrite {
  const at = nativeStart(messages);
  const carrier = messages[at];
  if (carrier === undefined || !cutPoints(messages, foldRules).includes(at)) return unchanged(messages);
  const plan = planCovered(messages, at, options);
  if (plan === undefined) return unchanged(messages);
  // The reply is a message of the thread: unfolding restores it after the messages that it covers.
  return foldInto({ ...plan, region: [...plan.region, carrier] }, carrier, options);
}

/**
 * Replaces the messages before `cut` by a compaction that the provider was asked for, and moves them to the archive. The
 * message of the compaction is not part of the thread: unfolding restores the covered messages without it.
 *
 * Pure; messages need ids. `cut` must be a legal cut point. What stays before the message is as in {@link foldCovered}.
 */
export function applyNative(
  messages: readonly BaseMessage[],
  { cut, carrier, ...options }: FoldCoveredOptions & { readonly cut: number; readonly carrier: BaseMessage },
): Rewrite {
  const joined = [...messages.slice(0, cut), carrier, ...messages.slice(cut)];
  const plan = planCovered(joined, cut, options);
  if (plan === undefined) return unchanged(messages);
  return foldInto(plan, carrier, { ...options, newest: messages.at(-1)?.id });
}

/** Returns the rewrite in which a message carries the fold of a region; the tail of the plan begins with that message. */
function foldInto(
  plan: SummaryPlan,
  carrier: BaseMessage,
  {
    tokenCounter = estimateTokens,
    reason,
    newest,
    lane,
  }: FoldCoveredOptions & { readonly newest?: string | undefined },
): Rewrite {
  const { content, readable, name, generation, about } = summaryRecord(plan, lane);
  const { path, record } = summaryFiles(generation, name, lane);
  const fold: Fold = {
    id: `native-${name}`,
    kind: "native",
    path,
    record,
    ...coverage(plan.region, plan.carried),
    generation,
    ...(newest === undefined ? {} : { newest }),
    ...(about === "" ? {} : { about }),
    ...(reason === undefined ? {} : { reason }),
    tokensBefore: tokenCounter(plan.folded),
    tokensAfter: newest === undefined ? 0 : tokenCounter([carrier]),
  };
  const named = newest === undefined ? carrier : copyMessage(carrier, { id: fold.id });
  return {
    messages: [...plan.head, ...plan.carried, standIn(named, fold, {}), ...plan.tail.slice(1)],
    writes: [
      { path: record, content },
      { path, content: readable },
    ],
    folds: [fold],
  };
}

function planCovered(
  messages: readonly BaseMessage[],
  at: number,
  options: FoldCoveredOptions,
): SummaryPlan | undefined {
  const carrier = messages[at];
  const start = leadingSystems(messages);
  if (carrier === undefined || at <= start) return undefined;
  if (!isSignedCompaction(carrier)) {
    return planRegion(messages, { ...options, start, cut: at });
  }
  const region = messages.slice(start, at);
  const carried = region.filter(isSystem);
  const folded = region.filter((message) => !isSystem(message));
  if (folded.length === 0) return undefined;
  return { head: messages.slice(0, start), region, carried, folded, tail: messages.slice(at) };
}

function isSystem(message: BaseMessage): message is OwnMessage {
  return message.getType() === "system" && isOwn(message);
}
