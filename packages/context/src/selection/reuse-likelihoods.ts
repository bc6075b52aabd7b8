import type { BaseMessage } from "@langchain/core/messages";
import { lineAtoms, wholeLineAtom } from "../messages/line-atoms.js";
import type { MessageLine } from "../messages/message-lines.js";
import { messageText } from "../messages/text.js";
import { isAi, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { ReuseIndex } from "./reuse-index.js";
import { scoreAtoms } from "./score-atoms.js";

/** What a whole line is worth beside a name: an edit has to repeat it to the letter. */
const lineWorth = 1.5;

/** A line of a message, and the strings of it that a later call may use. */
export interface ReadLine {
  readonly text: string;
  readonly atoms: readonly string[];
}

export interface Reuse {
  /** How likely each string is to be used by a later call. */
  readonly likelihoods: Map<string, number>;
  /** The lines of each message that has any. */
  readonly lines: ReadonlyMap<BaseMessage, readonly ReadLine[]>;
}

/** Returns how likely each string of the messages is to be used by a later call, by reuse coverage. Pure. */
export function reuseLikelihoods(messages: readonly BaseMessage[]): ReadonlyMap<string, number> {
  return reuseOf(messages).likelihoods;
}

/** Returns the same with the lines it was learned from, which to read a second time would take as long again. Pure. */
export function reuseOf(messages: readonly BaseMessage[]): Reuse {
  const index = new ReuseIndex({ candidateTokens: Infinity });
  const lines = new Map<BaseMessage, readonly ReadLine[]>();
  for (const chunk of chunksOf(messages)) {
    const read = index.append(chunk);
    const starts = read.lines.flatMap(({ starts: first }, at) => (first ? [at] : []));
    chunk.filter(hasLines).forEach((message, nth) => {
      const own = read.lines.slice(starts[nth] ?? 0, starts[nth + 1] ?? read.lines.length);
      lines.set(
        message,
        own.map(({ text, atoms }) => ({
          text,
          atoms: atoms.map((number) => index.atoms.texts[number] ?? ""),
        })),
      );
    });
  }
  scoreAtoms(index);
  const likelihoods = new Map<string, number>();
  const { end, texts, isLine, probability } = index.atoms;
  for (let number = 0; number < end; number++) {
    const worth = isLine[number] === 1 ? lineWorth : 1;
    likelihoods.set(texts[number] ?? "", worth * (probability[number] ?? 0));
  }
  return { likelihoods, lines };
}

/** True for a message of which `messageLines` returns any line. */
function hasLines(message: BaseMessage): boolean {
  return messageText(message) !== "" || toolCalls(message).length > 0;
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
