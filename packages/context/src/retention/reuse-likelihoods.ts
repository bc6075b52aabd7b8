import type { BaseMessage } from "@langchain/core/messages";
import { lineAtoms, wholeLineAtom } from "../selection/line-atoms.js";
import type { MessageLine } from "../selection/message-lines.js";
import { ReuseIndex } from "../selection/reuse-index.js";
import { scoreAtoms } from "../selection/score-atoms.js";
import { isAi, isToolResult } from "../tool-calls.js";

/** What a whole line is worth beside a name: an edit has to repeat it to the letter. */
const lineWorth = 1.5;

/** Returns how likely each string of the messages is to be used by a later call, by reuse coverage. Pure. */
export function reuseLikelihoods(messages: readonly BaseMessage[]): ReadonlyMap<string, number> {
  const index = new ReuseIndex({ candidateTokens: Infinity });
  for (const chunk of chunksOf(messages)) index.append(chunk);
  scoreAtoms(index);
  return new Map(
    [...index.atoms.values()].map(({ text, isLine, probability }) => [
      text,
      isLine ? lineWorth * probability : probability,
    ]),
  );
}

function chunksOf(messages: readonly BaseMessage[]): readonly (readonly BaseMessage[])[] {
  const chunks: BaseMessage[][] = [];
  for (const message of messages) {
    const last = chunks.at(-1);
    if (isToolResult(message) && last?.[0] !== undefined && isAi(last[0])) last.push(message);
    else chunks.push([message]);
  }
  return chunks;
}

/** Returns the strings of a line that a later call may use. Pure. */
export function atomsOf({ text, role }: MessageLine): readonly string[] {
  const atoms = lineAtoms(text);
  if (role !== "result" && role !== "old" && role !== "new") return atoms;
  const whole = wholeLineAtom(text);
  return whole === undefined ? atoms : [...atoms, whole];
}
