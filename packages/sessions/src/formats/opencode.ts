import type { ReadValue, SessionEvent, SessionFormat } from "../session-event.js";
import { isJson, listOf, textOf, type Json } from "./make-message.js";
import { opencodeFacts, OpencodeReader } from "./opencode-reader.js";

/** opencode: what `opencode export <session>` prints, one JSON value of a session with its messages and their parts. */
export const opencode: SessionFormat = {
  name: "opencode",
  agent: "opencode",
  versions: "0.5 to 1.2 (export of messages with parts)",
  sources: [
    "https://github.com/sst/opencode/blob/dev/packages/opencode/src/session/message-v2.ts",
    "https://opencode.ai/docs/cli/",
  ],
  isRewritten: true,
  detects: (value) => isJson(value) && isJson(value["info"]) && Array.isArray(value["messages"]),
  open: () => (value, place) => (isJson(value) ? exported(value, place.line) : noObject),
};

const noObject: readonly SessionEvent[] = [{ kind: "unknown", what: "a value that is no object" }];

function exported(value: Json, line: number): readonly SessionEvent[] {
  const session = isJson(value["info"]) ? value["info"] : {};
  const reader = new OpencodeReader();
  const events = listOf(value["messages"])
    .filter(isJson)
    .flatMap(({ info, parts }) =>
      reader.message(isJson(info) ? info : {}, listOf(parts).filter(isJson), line),
    );
  return [{ kind: "facts", facts: opencodeFacts(session) }, ...events, ...reader.end(session, line)];
}

/**
 * The storage of opencode, in lines: one for each file below `storage/` (until 1.1), or for each row of `opencode.db` (since
 * 1.2). `{"file":"part/msg_1/prt_1.json","text":"…"}` holds a file, `{"table":"part","row":{…}}` a row with its columns. The
 * parts of a message come before it, the session comes last. Nothing of opencode writes such lines: `palimpsest` does, from the
 * folder or the database.
 */
export const opencodeStorage: SessionFormat = {
  name: "opencode-storage",
  agent: "opencode",
  versions: "0.6 to 1.1 (files below storage/), 1.2 to 1.3 (tables session, message and part)",
  sources: [
    "https://github.com/sst/opencode/blob/dev/packages/opencode/src/storage/json-migration.ts",
    "https://github.com/sst/opencode/blob/dev/packages/opencode/src/session/session.sql.ts",
  ],
  isRewritten: true,
  detects: (value) => storedOf(value) !== undefined,
  open: () => new StorageReader().read,
};

/** A file or a row: its kind, its id, the id of what it belongs to, and its value. */
interface Stored {
  readonly kind: string;
  readonly id: string;
  /** What it belongs to. */
  readonly owner: string;
  /** Undefined for text that is no JSON object. */
  readonly value: Json | undefined;
}

function storedOf(value: unknown): Stored | undefined {
  if (!isJson(value)) return undefined;
  return value["row"] === undefined ? fileOf(value) : rowOf(value);
}

function fileOf({ file, text }: Json): Stored | undefined {
  if (typeof file !== "string" || typeof text !== "string") return undefined;
  const [, kind, owner = "", id = ""] = /^([a-z_]+)\/(?:([^/]+)\/)?([^/]+)\.json$/.exec(file) ?? [];
  return isKind(kind) ? { kind, id, owner, value: parsed(text) } : undefined;
}

function rowOf({ table, row }: Json): Stored | undefined {
  if (!isKind(table) || !isJson(row)) return undefined;
  const value = table === "session" ? sessionOf(row) : parsed(textOf(row["data"]) ?? "");
  const owner = String(table === "part" ? row["message_id"] : row["session_id"]);
  return { kind: table, id: String(row["id"]), owner, value };
}

function isKind(kind: unknown): kind is string {
  return typeof kind === "string" && (read.has(kind) || Object.hasOwn(besides, kind));
}

/** Kinds that make up a conversation. */
const read = new Set(["session", "message", "part"]);
/** Kinds that the model is not sent. */
const besides: Readonly<Record<string, string>> = { todo: "list of tasks", session_diff: "changes of files" };

/** Returns the row of a session in the form of its file: there, columns of JSON are values. */
function sessionOf(row: Json): Json {
  return { ...row, revert: parsed(textOf(row["revert"]) ?? "") };
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

class StorageReader {
  readonly #reader = new OpencodeReader();
  /** Parts by the message that comes after them. */
  readonly #parts = new Map<string, Json[]>();

  readonly read: ReadValue = (value, { line }) => {
    const stored = storedOf(value);
    if (stored === undefined) return [{ kind: "unknown", what: "no file or row of a session" }];
    const { kind, id, owner } = stored;
    const beside = besides[kind];
    if (beside !== undefined) return [{ kind: "note", what: beside }];
    if (stored.value === undefined)
      return [{ kind: "broken", why: `the ${kind} ${id} is not a JSON object` }];
    const own = { ...stored.value, id };
    if (kind === "part") {
      const parts = this.#parts.get(owner) ?? [];
      this.#parts.set(owner, [...parts, own]);
      return [{ kind: "note", what: "part of a message" }];
    }
    if (kind === "session")
      return [{ kind: "facts", facts: opencodeFacts(own) }, ...this.#reader.end(own, line)];
    const parts = this.#parts.get(id) ?? [];
    this.#parts.delete(id);
    return this.#reader.message(own, parts, line);
  };
}
