import type { BaseMessage } from "@langchain/core/messages";
import { filePathOf, isFileRead, isFileWrite } from "../file-calls.js";
import { isToolResult, toolCalls } from "../tool-calls.js";

/** Characters of a path over which it is no name to carry on. */
const longPath = 200;

interface FileUse {
  readonly read: boolean;
  /** How often the file was written in this thread. */
  readonly version: number;
}

/**
 * Returns the files that the calls read and wrote, the latest touched last: `src/a.ts (read; written, version 2)`.
 *
 * Pure. A version is how often the thread has written the file, counted on from the `earlier` list; a call that
 * failed changes nothing. Of more than `most` files the latest stay.
 */
export function fileLedger(
  messages: readonly BaseMessage[],
  earlier: readonly string[] = [],
  most = 60,
): readonly string[] {
  const files = new Map<string, FileUse>(earlier.flatMap(parseEntry));
  const failed = new Set(
    messages.filter(isToolResult).flatMap((result) => (result.status === "error" ? result.tool_call_id : [])),
  );
  for (const call of messages.flatMap((message) => toolCalls(message))) {
    const path = filePathOf(call);
    const write = isFileWrite(call);
    if (path === undefined || path.length > longPath || !(write || isFileRead(call))) continue;
    if (call.id !== undefined && failed.has(call.id)) continue;
    const { read, version } = files.get(path) ?? { read: false, version: 0 };
    files.delete(path);
    files.set(path, { read: read || !write, version: version + (write ? 1 : 0) });
  }
  return [...files].slice(-most).map(([path, use]) => `${path} (${describe(use)})`);
}

function describe({ read, version }: FileUse): string {
  const parts = [...(read ? ["read"] : []), ...(version > 0 ? [`written, version ${version}`] : [])];
  return parts.join("; ");
}

function parseEntry(entry: string): readonly [string, FileUse][] {
  const match = /^(.*) \((read)?(?:; )?(?:written, version (\d+))?\)$/.exec(entry);
  if (match?.[1] === undefined) return [];
  return [[match[1], { read: match[2] !== undefined, version: Number(match[3] ?? 0) }]];
}
