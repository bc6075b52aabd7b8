import type { BaseMessage } from "@langchain/core/messages";
import { historyMarkdown } from "@palimpsest/context";

/**
 * Returns the messages as text in pieces of at most `characters` each, cut between messages where possible.
 *
 * A message longer than a piece is cut through, so that a summarizer is never handed more than it can read and
 * nothing is left out.
 */
export function transcript(messages: readonly BaseMessage[], characters: number): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const message of messages) {
    const text = historyMarkdown([message]).replace(/^## 1\. /, () => "## ");
    if (piece !== "" && piece.length + text.length > characters) {
      pieces.push(piece);
      piece = "";
    }
    for (let at = 0; at < text.length; at += characters) {
      const part = text.slice(at, at + characters);
      if (piece !== "" && piece.length + part.length > characters) {
        pieces.push(piece);
        piece = "";
      }
      piece += part;
    }
  }
  return piece === "" ? pieces : [...pieces, piece];
}
