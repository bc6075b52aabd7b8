import { oneSpaced, textOf } from "../data/text-of.js";
import type { MessageRecord } from "../data/trajectory.js";
import type { FoldedContext } from "./fold-run.js";
import { coverage, rulesOf } from "./rules-of.js";
import { userGoals } from "../data/user-goals.js";

/** What a context holds of the user's words. */
export interface RulesKept {
  /** The rules of the user. */
  readonly sentences: readonly string[];
  /** Rules that are there word for word, spaces aside. */
  readonly verbatim: number;
  /** The first and the latest message of the user are there. */
  readonly goal: boolean;
  /** All that the model sees. */
  readonly text: string;
}

/** Returns what the model still sees of the user's words. */
export function rulesKept(
  { thread, context }: FoldedContext,
  records: ReadonlyMap<string, MessageRecord> | undefined,
): RulesKept {
  const sentences = rulesOf(thread, records);
  const text = context.map(textOf).join("\n");
  const seen = oneSpaced(text);
  return {
    sentences,
    verbatim: sentences.filter((sentence) => seen.includes(oneSpaced(sentence))).length,
    goal: userGoals(thread).every((goal) =>
      context.some(({ id, text: said }) => id === goal.id && said === goal.text),
    ),
    text,
  };
}

/** Returns the sum of the shares in which a text covers sentences; with another run's text it is the control. */
export function coveredBy(sentences: readonly string[], text: string): number {
  return sentences.reduce((sum, sentence) => sum + coverage(sentence, text), 0);
}
