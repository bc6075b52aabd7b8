import type { BaseMessage } from "@langchain/core/messages";
import type { Step } from "../data/steps.js";
import { textOf } from "../data/text-of.js";
import { isIn } from "../metrics/is-in.js";

/**
 * Returns the tokens, of four characters, that an agent would at least have to read again before a step: for all that the
 * step needs and the context lacks, the smallest messages that have it.
 */
export function reReadTokens(
  step: Step,
  thread: readonly BaseMessage[],
  context: readonly BaseMessage[],
): number {
  const missing = step.needed.filter(({ text }) => !context.some((message) => isIn(message, text)));
  const read = new Set<BaseMessage>();
  for (const { text } of missing) {
    if ([...read].some((message) => isIn(message, text))) continue;
    const sources = thread.filter((message) => isIn(message, text));
    const smallest = sources.toSorted((one, other) => textOf(one).length - textOf(other).length).at(0);
    if (smallest !== undefined) read.add(smallest);
  }
  return [...read].reduce((sum, message) => sum + textOf(message).length, 0) / 4;
}
