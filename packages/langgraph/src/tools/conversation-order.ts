import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import {
  archiveFolders,
  isCopyPath,
  isHistoryPath,
  messageText,
  offloadedPath,
} from "@palimpsest/context/internal";
import type { Backend } from "@palimpsest/vfs";
import { archivedMessages } from "./archived-messages.js";
import type { FileToolCall } from "./file-tool.js";
import type { FileHits, Hit, Place } from "./grep-hits.js";

/** Limits of the lookup of results in the history, in milliseconds and places. */
const timeLimit = 1_000;
const mostPlaces = 20_000;

export interface ConversationOptions extends FileToolCall {
  readonly backend: Backend;
}

/** Returns true for a file whose matches can be copies: a later compaction also folds stand-ins of earlier ones. */
export function mayHoldCopies(path: string): boolean {
  return isCopyPath(path) || (isHistoryPath(path) && !path.startsWith(`${archiveFolders.history}0001-`));
}

/**
 * Returns the files with the place of each match in the conversation, without matches in copies: records and certificates,
 * folded stand-ins of earlier compactions, and messages that stayed in the context and were archived again. Copies stay if
 * nothing else matches.
 *
 * Reads every matching history file of a later compaction, for at most a second; copies in the remaining files stay.
 */
export async function inConversation(
  files: readonly FileHits[],
  options: ConversationOptions,
): Promise<readonly FileHits[]> {
  const originals = files.filter(({ path }) => !isCopyPath(path));
  const told = originals.length > 0 ? originals : files;
  const once = await withoutRepeats(told, options);
  const kept = once.some(({ count }) => count > 0) ? once.filter(({ count }) => count > 0) : told;
  const places = await offloadPlaces(kept, options);
  return kept.map((file) => ({ ...file, hits: file.hits.map((hit) => placed(file.path, hit, places)) }));
}

/** Compares matches by their place in the conversation. Matches without a place come first. */
export function byPlace({ place: a }: Hit, { place: b }: Hit): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return byHistory(a.history, b.history) || a.line - b.line || a.own - b.own;
}

const { compare } = new Intl.Collator("en", { numeric: true });

/** Compares file names of the history, which begin with the number of their compaction or step. */
function byHistory(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return compare(a, b);
}

function placed(path: string, hit: Hit, places: ReadonlyMap<string, Place>): Hit {
  if (isHistoryPath(path)) return { ...hit, place: { history: path, line: hit.line, own: 0 } };
  if (!offloadedPath.test(path)) return hit;
  return { ...hit, place: { line: Number.MAX_SAFE_INTEGER, ...places.get(path), own: hit.line } };
}

/**
 * Returns the first place in the history, or else in the context, that names each result and argument. Empty if there is
 * nothing to order.
 */
async function offloadPlaces(
  files: readonly FileHits[],
  { backend, messages, signal }: ConversationOptions,
): Promise<ReadonlyMap<string, Place>> {
  const places = new Map<string, Place>();
  if (files.length < 2 || !files.some(({ path }) => offloadedPath.test(path))) return places;
  const how = { regex: true, signal, timeLimit };
  const named = await backend.grep(offloadedPath.source, archiveFolders.history, "*.md", mostPlaces, how);
  const inOrder = (named.matches ?? []).toSorted((a, b) => compare(a.path, b.path) || a.line - b.line);
  for (const { path: history, line, text } of inOrder) {
    const path = offloadedPath.exec(text)?.[0];
    if (path !== undefined && !places.has(path)) places.set(path, { history, line, own: 0 });
  }
  for (const [line, message] of messages.entries())
    for (const path of offloadsIn(message)) if (!places.has(path)) places.set(path, { line, own: 0 });
  return places;
}

function offloadsIn(message: BaseMessage): readonly string[] {
  const args = toolCalls(message).map((call) => JSON.stringify(call.args));
  return [messageText(message), ...args].join("\n").match(new RegExp(offloadedPath, "g")) ?? [];
}

/** Returns the files without matches in stand-ins, and without messages that an earlier file of the history has. */
async function withoutRepeats(
  files: readonly FileHits[],
  { backend, signal }: ConversationOptions,
): Promise<readonly FileHits[]> {
  const history = files.filter(({ path }) => isHistoryPath(path)).toSorted((a, b) => compare(a.path, b.path));
  const seen = new Set<string>();
  const end = performance.now() + timeLimit;
  const found = new Map<FileHits, FileHits>();
  for (const file of history) {
    if (performance.now() > end || (history.length === 1 && !mayHoldCopies(file.path))) break;
    signal?.throwIfAborted();
    const { data } = await backend.readRaw(file.path);
    const messages = typeof data?.content === "string" ? archivedMessages(data.content.split("\n")) : [];
    const own = new Set<string>();
    let at = -1;
    const hits = file.hits.filter((hit) => {
      while ((messages[at + 1]?.line ?? Infinity) < hit.line) at++;
      const message = messages[at];
      if (message?.id === undefined) return true;
      const key = `${hit.line - message.line} ${message.id}`;
      own.add(key);
      return !message.isSummary && !seen.has(key);
    });
    for (const key of own) seen.add(key);
    found.set(file, { ...file, hits, count: file.count - file.hits.length + hits.length });
  }
  return files.map((file) => found.get(file) ?? file);
}
