import type { BaseMessage } from "@langchain/core/messages";
import { readSession } from "../read-session.js";
import type { SessionRecord } from "../session-event.js";
import { SessionThread, type SessionChange } from "../session-thread.js";

/** What a session says, read at once. */
export interface ReadAll {
  readonly format: string;
  readonly records: readonly SessionRecord[];
  /** All messages of the main conversation, as they happened. */
  readonly happened: readonly BaseMessage[];
  /** What the model is sent after the last record. */
  readonly context: readonly BaseMessage[];
  readonly compactions: readonly Extract<SessionChange, { kind: "compaction" }>[];
}

/** Reads a session from memory, in chunks of so many bytes. */
export async function readAll(file: string | Uint8Array, chunkBytes = 65_536): Promise<ReadAll> {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  const thread = new SessionThread();
  const records: SessionRecord[] = [];
  const compactions: Extract<SessionChange, { kind: "compaction" }>[] = [];
  let format = "";
  for await (const record of readSession(chunksOf(bytes, chunkBytes), {
    onFormat: ({ name }) => void (format = name),
  })) {
    records.push(record);
    for (const event of record.events) {
      const isElsewhere = "lane" in event && event.lane !== undefined && event.lane !== "";
      const change = isElsewhere ? undefined : thread.apply(event);
      if (change?.kind === "compaction") compactions.push(change);
    }
  }
  return { format, records, happened: thread.happened, context: [...thread.context], compactions };
}

/** Yields bytes in chunks. */
export async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
