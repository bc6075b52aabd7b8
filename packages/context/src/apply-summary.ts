import { HumanMessage } from "@langchain/core/messages";
import { foldKwargs, type Fold } from "./fold.js";
import type { SummaryPlan } from "./plan-summary.js";
import type { Rewrite } from "./rewrite.js";
import { summaryNotice } from "./summary.js";
import { summaryRecord } from "./summary-record.js";
import type { TokenCounter } from "./token-counter.js";

export interface ApplySummaryOptions {
  /** What the model will read of the folded messages, Markdown. */
  readonly text: string;
  /** `trim` for a fold that was made without a summary. @default "summary" */
  readonly kind?: "summary" | "trim";
  /** Why the fold is made; kept with it. */
  readonly reason?: string | undefined;
  readonly tokenCounter: TokenCounter;
}

/**
 * Returns the context in which one message stands for `plan.folded`, with the originals to archive first: a
 * lossless record (`.jsonl`) and a readable file (`.md`).
 *
 * Pure. Names come from what is recorded, so the same plan always has the same files and ids.
 */
export function applySummary(
  plan: SummaryPlan,
  { text, kind = "summary", reason, tokenCounter }: ApplySummaryOptions,
): Rewrite {
  const { content, readable, name, generation, about } = summaryRecord(plan);
  const stem = `/context/history/${String(generation).padStart(4, "0")}-${name}`;
  const newest = plan.tail.at(-1)?.id ?? plan.region.at(-1)?.id;
  const draft: Fold = {
    id: `${kind}-${name}`,
    kind,
    path: `${stem}.md`,
    record: `${stem}.jsonl`,
    covers: idsOf(plan.region),
    carried: idsOf(plan.carried),
    ...(newest === undefined ? {} : { newest }),
    generation,
    ...(about === "" ? {} : { about }),
    ...(reason === undefined ? {} : { reason }),
    tokensBefore: tokenCounter(plan.folded),
    tokensAfter: 0,
  };
  const shown = `${summaryNotice}\nOriginals: ${draft.path}\n\n${text}`.trimEnd();
  const fold = { ...draft, tokensAfter: tokenCounter([new HumanMessage(shown)]) };
  const standIn = new HumanMessage({ id: fold.id, content: shown, additional_kwargs: foldKwargs(fold) });
  return {
    messages: [...plan.head, ...plan.carried, standIn, ...plan.tail],
    writes: [
      { path: `${stem}.jsonl`, content },
      { path: fold.path, content: readable },
    ],
    folds: [fold],
  };
}

function idsOf(messages: SummaryPlan["region"]): readonly string[] {
  return messages.flatMap(({ id }) => (id === undefined ? [] : [id]));
}
