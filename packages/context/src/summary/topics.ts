import type { BaseMessage } from "@langchain/core/messages";
import { filePathOf } from "../file-calls.js";
import { foldOf } from "../fold.js";
import { inlineText } from "../inline-text.js";
import { messageText } from "../message-text.js";
import { words } from "../tf-idf.js";
import { toolCalls } from "../tool-calls.js";

/** Characters of each message that are looked at. */
const scanned = 4_000;

/**
 * Returns what messages are about, in at most some 120 characters: the files they touch most, then their own words.
 *
 * Pure. A word that many messages share says less than one that a few come back to.
 */
export function topics(messages: readonly BaseMessage[]): string {
  const fresh = messages.filter((message) => foldOf(message)?.generation === undefined);
  const files = new Map<string, number>();
  for (const call of fresh.flatMap((message) => toolCalls(message))) {
    const name = filePathOf(call)?.split(/[\\/]/).findLast(Boolean);
    if (name !== undefined) files.set(name, (files.get(name) ?? 0) + 1);
  }
  const most = [...files].toSorted((a, b) => b[1] - a[1]).slice(0, 4);
  const chosen = [...most.map(([name]) => name), ...ownWords(fresh)];
  return inlineText(chosen.slice(0, 7).join(", "), 120);
}

function ownWords(messages: readonly BaseMessage[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const message of messages) {
    const text = messageText(message).slice(0, scanned);
    for (const word of new Set(words(text).filter((one) => /^\p{L}/u.test(one) && one.length > 4))) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  const value = (count: number) => count * Math.log(1 + messages.length / count);
  const ranked = [...counts].filter(([, count]) => count > 1 && count < messages.length * 0.7);
  return ranked.toSorted((a, b) => value(b[1]) - value(a[1])).map(([word]) => word);
}
