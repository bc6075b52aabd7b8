import type { BaseMessage } from "@langchain/core/messages";
import type { ExcerptScores } from "../certificate/choose-excerpts.js";
import type { ReadLine } from "../certificate/excerpt-candidates.js";
import { reusableAtoms } from "../messages/line-atoms.js";
import { messageLines } from "../messages/message-lines.js";
import { messageText } from "../messages/text.js";
import { isAi, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { ReuseIndex } from "./reuse-index.js";

/** Weight of a whole line relative to a name: an edit must repeat the line exactly. */
const lineWeight = 1.5;

/** Returns the likelihood of each string of the messages to be used by a later call, by reuse coverage. Pure. */
export function reuseLikelihoods(messages: readonly BaseMessage[]): ReadonlyMap<string, number> {
  return reuseOf(messages).likelihoods;
}

/** Returns the likelihoods together with the parsed lines, so that callers need not parse them again. Pure. */
export function reuseOf(messages: readonly BaseMessage[]): ExcerptScores {
  const index = new ReuseIndex({ isForOneScore: true });
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
  index.scoreOnce();
  const likelihoods = new Map<string, number>();
  const { end, texts, isLine, probability } = index.atoms;
  for (let number = 0; number < end; number++) {
    const worth = isLine[number] === 1 ? lineWeight : 1;
    likelihoods.set(texts[number] ?? "", worth * (probability[number] ?? 0));
  }
  return { likelihoods, lines };
}

/** True for a message with any line in `messageLines`. */
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

/** Scores messages by their reuse likelihood relative to their length. Pure. */
export function reuseImportance(messages: readonly BaseMessage[]): readonly number[] {
  const weights = reuseLikelihoods(messages);
  return messages.map((message) => {
    const lines = messageLines(message);
    const atoms = new Set(lines.flatMap(reusableAtoms));
    const characters = lines.reduce((sum, { text }) => sum + text.length, 0);
    const worth = [...atoms].reduce((sum, atom) => sum + (weights.get(atom) ?? 0), 0);
    return worth / (50 + characters);
  });
}
