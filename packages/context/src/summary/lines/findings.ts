import type { BaseMessage } from "@langchain/core/messages";
import { messageText, sentences } from "../../messages/text.js";
import { isAi, isToolResult } from "../../messages/tool-calls.js";
import { sourcesOf } from "../../quotations/quoted-text.js";
import { distinctLines, type SourcedLine } from "../../quotations/sourced-lines.js";
import { recordFinder } from "../../quotations/record-lines.js";
import { tfIdfScores } from "../../retention/importance.js";
import { isGrounded, isUserClaim, userWords } from "./grounding.js";
import { isInstruction } from "./instructions.js";

/**
 * Returns the distinct lines with the highest TF-IDF weight that fit into `characters`, in their order; lines with digits
 * weigh more than prose. Of lines that differ in values alone the newest comes first: an old value never stays where the
 * one that superseded it does not. Pure.
 */
export function chooseFindings<Line extends SourcedLine>(
  found: readonly Line[],
  characters: number,
): readonly Line[] {
  const candidates = distinctLines(found);
  const scores = tfIdfScores(candidates.map(({ line }) => line));
  const weighed = candidates.map((candidate, index) => ({
    candidate,
    index,
    form: formOf(candidate.line),
    score: (scores[index] ?? 0) * (/\d/.test(candidate.line) ? 1.3 : 1),
  }));
  const newest = new Map(weighed.map(({ form, index }) => [form, index]));
  const highest = new Map<string, number>();
  for (const { form, score } of weighed) highest.set(form, Math.max(score, highest.get(form) ?? 0));
  const ranked = weighed
    .map((one) => {
      const isNewest = newest.get(one.form) === one.index;
      return { ...one, isNewest, score: isNewest ? (highest.get(one.form) ?? 0) : one.score };
    })
    .toSorted((a, b) => b.score - a.score || Number(b.isNewest) - Number(a.isNewest) || a.index - b.index);
  let used = 0;
  const superseded = new Set<string>();
  const chosen = ranked.filter(({ candidate: { line }, form }) => {
    if (superseded.has(form)) return false;
    if (used + line.length > characters) {
      superseded.add(form);
      return false;
    }
    used += line.length;
    return true;
  });
  return chosen.toSorted((a, b) => a.index - b.index).map(({ candidate }) => candidate);
}

/** Returns a line without its values, which are the words with a digit: lines of one form say the same of a newer value. Pure. */
export function formOf(line: string): string {
  return line.replace(/\S*\d\S*/g, "0");
}

/** A line of a message that may be quoted. */
export interface FoundLine extends SourcedLine {
  readonly message: BaseMessage;
}

/** Returns the lines of tool results and replies that neither instruct the agent nor claim to speak for the user. Pure. */
export function findingsIn(messages: readonly BaseMessage[]): readonly FoundLine[] {
  const sources = sourcesOf(messages);
  const user = userWords(messages);
  const isData = (line: string) => !isInstruction(line) && !(isUserClaim(line) && !isGrounded(line, user));
  return messages
    .filter((message) => isToolResult(message) || isAi(message))
    .flatMap((message) => {
      const source = sources.get(message) ?? "";
      return candidateLines(messageText(message)).map((line) => ({ source, line, message }));
    })
    .filter(({ line }) => isData(line));
}

/** Returns lines among the first 400, which bounds the cost of scoring. A line of a record says nothing alone. */
function candidateLines(text: string): readonly string[] {
  const lines = text.slice(0, 60_000).split("\n").slice(0, 400);
  const records = recordFinder([lines])(lines);
  return lines
    .filter((_, at) => records[at] === -1)
    .flatMap((line) => (line.length > 240 ? sentences(line) : [line.trim()]))
    .filter((line) => line.length >= 20 && line.length <= 240 && !line.startsWith("["));
}
