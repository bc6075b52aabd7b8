import type { Agent } from "./agents/agent.js";
import { piecesOf } from "./pieces-of.js";

/** Returns the texts that were produced: an agent that died early is not charged with what it never read. */
export function madeTexts(
  texts: readonly string[],
  { calls }: Agent,
  outputs: readonly string[],
): readonly string[] {
  const said = calls.flatMap(({ text, answer }) => [text, JSON.stringify(answer?.tool_calls ?? [])]);
  const all = [...outputs, ...said].join("\n");
  const pieces = piecesOf(all);
  return texts.filter((text) => pieces.has(text) || all.includes(text));
}
