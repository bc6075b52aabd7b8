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
  const counts = new Map<string, { count: number; last: number }>();
  messages.forEach((message, index) => {
    for (const word of longWords(messageText(message).slice(0, scanned))) {
      const known = counts.get(word);
      if (known === undefined) counts.set(word, { count: 1, last: index });
      else if (known.last !== index) {
        known.count++;
        known.last = index;
      }
    }
  });
  const value = (count: number) => count * Math.log(1 + messages.length / count);
  const ranked = [...counts].filter(([, { count }]) => count > 1 && count < messages.length * 0.7);
  return ranked.toSorted((a, b) => value(b[1].count) - value(a[1].count)).map(([word]) => word);
}

/** Words in lower case that begin with a letter and have five characters or more. Without the tables of Unicode where they are not needed. */
function longWords(text: string): readonly string[] {
  if (isAscii.test(text)) {
    const found = text.toLowerCase().match(asciiWord) ?? [];
    return found.filter((word) => word >= "a");
  }
  return words(text).filter((word) => word.length > 4 && /^\p{L}/u.test(word));
}

// oxlint-disable-next-line no-control-regex -- all of ASCII is meant
const isAscii = /^[\u0000-\u007f]*$/;
const asciiWord = /[a-z_$][a-z0-9_$]{4,}/g;
