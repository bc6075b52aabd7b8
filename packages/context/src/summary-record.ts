import { digest } from "./digest.js";
import { foldOf } from "./fold.js";
import { historyMarkdown } from "./history-markdown.js";
import type { SummaryPlan } from "./plan-summary.js";
import { toStoredMessage } from "./stored-message.js";
import { topics } from "./summary/topics.js";

/** What is archived of a plan, whatever the summary says. */
export interface SummaryRecord {
  /** One stored message a line. */
  readonly content: string;
  /** The same for a reader, Markdown. */
  readonly readable: string;
  /** Digest of `content`. */
  readonly name: string;
  readonly generation: number;
  /** What the folded messages are about, in a few words; may be empty. */
  readonly about: string;
}

const known = new WeakMap<SummaryPlan, SummaryRecord>();

/** Returns what is archived of a plan. Pure; made once for a plan, which is often applied with several texts. */
export function summaryRecord(plan: SummaryPlan): SummaryRecord {
  const made = known.get(plan);
  if (made !== undefined) return made;
  const content = plan.region.map((message) => `${JSON.stringify(toStoredMessage(message))}\n`).join("");
  const record: SummaryRecord = {
    content,
    readable: historyMarkdown(plan.region).toWellFormed(),
    name: digest(content),
    generation:
      1 + plan.folded.reduce((most, message) => Math.max(most, foldOf(message)?.generation ?? 0), 0),
    about: topics(plan.folded),
  };
  known.set(plan, record);
  return record;
}
