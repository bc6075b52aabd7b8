import { createHash } from "node:crypto";
import { createReadStream, readFileSync, rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { BaseMessage } from "@langchain/core/messages";
import { fromStoredMessage, toStoredMessage, type StoredMessage } from "@palimpsest/context";
import { readSession, SessionThread, type SessionEvent } from "@palimpsest/sessions";
import { command } from "./command.js";

/** What `palimpsest import` reports of a file. */
export interface Imported {
  readonly thread: string;
  readonly format: string;
  readonly bytes: number;
  readonly records: number;
  readonly folds: number;
  readonly unknown: Readonly<Record<string, number>>;
  readonly broken: readonly string[];
}

/** What became of a session. */
export interface CheckedImport extends Imported {
  readonly file: string;
  /** Records without an event: they would be lost without a word. */
  readonly unaccounted: number;
  /** Texts of messages that no message of the reader holds. */
  readonly lostTexts: number;
  readonly texts: number;
  /** The file from the archive equals the file. */
  readonly isSameFile: boolean;
  /** The conversations, unfolded from the storage, equal those that the file tells. */
  readonly isSameThread: boolean;
}

/** Compares what the storage holds of an imported session with its file. */
export async function checkImport(file: string, report: Imported, storage: string): Promise<CheckedImport> {
  const told = await toldBy(file);
  const copy = `${storage}.copy`;
  await command("export", storage, report.thread, "--source", copy);
  const isSameFile = digestOf(copy) === digestOf(file);
  rmSync(copy);
  let isSameThread = told.lines.size > 0;
  for (const [lane, messages] of told.lines) {
    const thread = lane === told.main ? report.thread : `${report.thread}:${lane}`;
    const unfolded = await command<StoredMessage[]>("show", storage, thread, "--unfolded");
    if (!isDeepStrictEqual(plain(unfolded.map(fromStoredMessage)), plain(messages))) isSameThread = false;
  }
  const { unaccounted, lostTexts, texts } = told;
  return { ...report, file, unaccounted, lostTexts, texts, isSameFile, isSameThread };
}

interface Told {
  readonly main: string;
  /** The newest branch of each conversation, by its name. */
  readonly lines: ReadonlyMap<string, readonly BaseMessage[]>;
  readonly unaccounted: number;
  readonly lostTexts: number;
  readonly texts: number;
}

async function toldBy(file: string): Promise<Told> {
  const threads = new Map<string, SessionThread>();
  let unaccounted = 0;
  const said = new Set<string>();
  const wanted: string[] = [];
  for await (const { bytes, events } of readSession(createReadStream(file), { name: file })) {
    if (events.length === 0) unaccounted += 1;
    for (const event of events) {
      for (const text of textsOf(event)) said.add(text);
      if (!changes(event)) continue;
      const lane = event.lane ?? "";
      const thread = threads.get(lane) ?? new SessionThread();
      threads.set(lane, thread);
      thread.apply(event);
    }
    if (events.some(({ kind }) => kind === "message" || kind === "compaction"))
      wanted.push(...saidIn(JSON.parse(Buffer.from(bytes).toString("utf8"))));
  }
  const all = [...said].join("\n");
  return {
    main: threads.keys().next().value ?? "",
    lines: new Map([...threads].map(([lane, thread]) => [lane, thread.happened])),
    unaccounted,
    lostTexts: wanted.filter((text) => !said.has(text) && !all.includes(text)).length,
    texts: wanted.length,
  };
}

function changes(event: SessionEvent): event is Extract<SessionEvent, { readonly lane?: string }> {
  return ["message", "compaction", "clearing", "rewind"].includes(event.kind);
}

/** Returns the texts of a record under `content`, wherever the record keeps its message: found without its reader. */
function saidIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const { content, message, payload, data } = value as Record<string, unknown>;
  if (content !== undefined) return leavesOf(content, "content");
  return [message, payload, data].flatMap(saidIn);
}

/** Fields of blocks that name a block and say nothing. */
const names = new Set(["type", "id", "tool_use_id", "media_type", "signature", "caller"]);

function leavesOf(value: unknown, field: string): readonly string[] {
  if (names.has(field)) return [];
  if (typeof value === "string") return value.trim() === "" ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((one: unknown) => leavesOf(one, ""));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, key));
}

function textsOf(event: SessionEvent): readonly string[] {
  if (event.kind === "compaction") return [event.compaction.summary];
  if (event.kind !== "message") return [];
  const { content, tool_calls: calls = [] } = event.message as BaseMessage & {
    tool_calls?: readonly object[];
  };
  return [...leavesOf(content, "content"), ...calls.flatMap((call) => leavesOf(call, ""))];
}

function plain(messages: readonly BaseMessage[]): unknown {
  return JSON.parse(JSON.stringify(messages.map((message) => toStoredMessage(message))));
}

function digestOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
