import type { BaseMessage } from "@langchain/core/messages";
import { historyMarkdown } from "@palimpsest/context";

export interface TranscriptOptions {
  /** Tokens that a piece may have. */
  readonly tokens: number;
  /** Returns the tokens of a text. */
  readonly count: (text: string) => number;
}

/**
 * Returns the messages as text in pieces of at most `tokens` each, cut between messages where possible.
 *
 * A message larger than a piece is cut through, so that a summarizer is never handed more than it can read and
 * nothing is left out. Pure.
 */
export function transcript(
  messages: readonly BaseMessage[],
  { tokens, count }: TranscriptOptions,
): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const part of messages.flatMap((message) => splitText(textOf(message), { tokens, count }))) {
    const weight = count(part);
    if (piece !== "" && used + weight > tokens) {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += part;
    used += weight;
  }
  return piece === "" ? pieces : [...pieces, piece];
}

function textOf(message: BaseMessage): string {
  const [title = "", ...body] = historyMarkdown([message]).split("\n");
  // A line of the text that looks like our headings would be read as somebody else's turn, such as the user's.
  const lines = body.map((line) => (heading.test(line) ? `\\${line}` : line));
  return [title.replace(/^## 1\. /, () => "## "), ...lines].join("\n");
}

const heading =
  /^\s{0,3}#{1,6}\s+(\d+\.\s+)?(human|user|ai|assistant|tool|system|developer|function|generic)\b/i;

/** Halves a text until every part fits: what tokens a character costs depends on the text alone. Pure. */
export function splitText(text: string, options: TranscriptOptions): readonly string[] {
  if (text.length < 2 || options.count(text) <= options.tokens) return [text];
  const middle = Math.floor(text.length / 2);
  const pair = /[\uD800-\uDBFF]/.test(text.charAt(middle - 1));
  const at = pair && middle > 1 ? middle - 1 : middle;
  return [...splitText(text.slice(0, at), options), ...splitText(text.slice(at), options)];
}
