import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { applySummary, estimateTokens, type Rewrite } from "@palimpsest/context";
import {
  certify,
  foldContent,
  isOwn,
  isSummary,
  mustKeepAtoms,
  type MustKeepAtom,
} from "@palimpsest/context/internal";
import type { CompactedParts, RecordedClearing, RecordedCompaction } from "@palimpsest/sessions";

/**
 * Returns the fold of a compaction that another harness has made, with its certificate: the stand-in is the summary as its
 * model read it. Pure.
 */
export function recordedSummary(compaction: RecordedCompaction, parts: CompactedParts): Rewrite {
  const { summary: text, trigger } = compaction;
  const options = { text, asRecorded: true, tokenCounter: estimateTokens };
  const carried = parts.carried.filter(isOwn);
  const plan = {
    ...parts,
    carried,
    folded: parts.region.filter((message) => !carried.some((one) => one === message)),
  };
  const rewrite = applySummary(plan, { ...options, ...(trigger === undefined ? {} : { reason: trigger }) });
  return certify(rewrite, { atoms: atomsOf(parts.region) });
}

/** Returns what must not be lost of messages. Text of the harness in the role of the user states no rule of the user. */
export function atomsOf(messages: readonly BaseMessage[]): readonly MustKeepAtom[] {
  return mustKeepAtoms(messages.filter((message) => isSummary(message) || !isHarnessText(message)));
}

/** True for text that the harness wrote in the role of the user. */
export function isHarnessText(message: BaseMessage): boolean {
  return message.getType() === "human" && message.response_metadata?.["isMeta"] === true;
}

/** Returns the fold of a result that was cleared; undefined if the placeholder is no shorter. Pure. */
export function recordedMask(result: BaseMessage, { placeholder }: RecordedClearing): Rewrite | undefined {
  if (!ToolMessage.isInstance(result)) return undefined;
  const folded = foldContent(result, {
    kind: "mask",
    tokenCounter: estimateTokens,
    describe: () => placeholder,
  });
  if (folded === undefined) return undefined;
  return { messages: [folded.message], writes: folded.writes, folds: [folded.fold] };
}
