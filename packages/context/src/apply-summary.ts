import { HumanMessage } from "@langchain/core/messages";
import { digest } from "./digest.js";
import { foldKwargs, foldOf, type Fold } from "./fold.js";
import { historyMarkdown } from "./history-markdown.js";
import type { SummaryPlan } from "./plan-summary.js";
import type { Rewrite } from "./rewrite.js";
import { toStoredMessage } from "./stored-message.js";
import { summaryNotice } from "./summary.js";
import { topics } from "./summary/topics.js";
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
  const content = plan.region.map((message) => `${JSON.stringify(toStoredMessage(message))}\n`).join("");
  const generation =
    1 + plan.folded.reduce((most, message) => Math.max(most, foldOf(message)?.generation ?? 0), 0);
  const name = digest(content);
  const stem = `/context/history/${String(generation).padStart(4, "0")}-${name}`;
  const about = topics(plan.folded);
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
      { path: fold.path, content: historyMarkdown(plan.region).toWellFormed() },
    ],
    folds: [fold],
  };
}

function idsOf(messages: SummaryPlan["region"]): readonly string[] {
  return messages.flatMap(({ id }) => (id === undefined ? [] : [id]));
}
