import { fromStoredMessage, type StoredMessage } from "@palimpsest/context";
import { visibleText } from "@palimpsest/context/internal";
import { randomFrom } from "../data/random-from.js";
import { command } from "./command.js";
import type { HistoryClient } from "./history-client.js";

/** A line of a message that a compaction replaced. */
export interface Needle {
  readonly thread: string;
  readonly line: string;
  /** Words of the line, in order. */
  readonly query: string;
  /** Numbers of the messages that hold the line, counted from 1. */
  readonly messages: ReadonlySet<number>;
}

/** Needles of one thread. */
const each = 12;
/** Words of a line that can be asked for, and words that are asked for. */
const words = { fewest: 6, asked: 5 };

/** Returns lines of messages that are no longer in the context of a thread; the same for the same thread. */
export async function needlesOf(storage: string, thread: string): Promise<readonly Needle[]> {
  const read = async (...more: readonly string[]): Promise<readonly string[]> => {
    const stored = await command<StoredMessage[]>("show", storage, thread, ...more);
    return stored.map((message) => visibleText([fromStoredMessage(message)]));
  };
  const sent = (await read()).join("\n");
  const all = await read("--unfolded");
  const lines = all.filter((text) => !sent.includes(text)).flatMap((text) => text.split("\n"));
  const random = randomFrom(lines.length + thread.length);
  const found = new Map<string, Needle>();
  for (let tries = 0; found.size < each && tries < 40 * each; tries++) {
    const line = lines[Math.floor(random() * lines.length)] ?? "";
    const said = wordsOf(line);
    if (line.length > 300 || said.length < words.fewest || sent.includes(line)) continue;
    const from = Math.floor(random() * (said.length - words.asked + 1));
    const asked = said.slice(from, from + words.asked);
    // Words that many messages hold tell none of them apart.
    if (all.filter((text) => asked.every((word) => text.includes(word))).length > 3) continue;
    const messages = all.flatMap((text, at) => (text.includes(line) ? [at + 1] : []));
    const query = asked.join(" ");
    found.set(line, { thread, line, query, messages: new Set(messages) });
  }
  return [...found.values()];
}

/** Returns the different words of a line. */
function wordsOf(line: string): readonly string[] {
  return [...new Set(line.match(/\p{L}[\p{L}\p{N}_]{2,}/gu) ?? [])];
}

/** Whether a needle is found: its message is among the first three hits, and the line is in their text. */
export interface FoundNeedle {
  readonly isHit: boolean;
  readonly isShown: boolean;
}

/** Looks for a needle, in its thread. */
export async function findNeedle(needle: Needle, client: HistoryClient): Promise<FoundNeedle> {
  const hits = await client.search(needle.query, needle.thread);
  return {
    isHit: hits.some(({ message }) => needle.messages.has(message)),
    isShown: hits.some(({ text }) => text.includes(needle.line.trim())),
  };
}
