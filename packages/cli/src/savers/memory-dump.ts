import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { deserialize } from "node:v8";
import { MemorySaver } from "@langchain/langgraph";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { CliError } from "../cli-error.js";

const sqliteHead = "SQLite format 3\0";

/** True for a non-empty file that does not begin like a SQLite database. */
export function isMemoryDump(path: string): boolean {
  if (!statSync(path).isFile()) return false;
  const file = openSync(path, "r");
  try {
    const head = Buffer.alloc(sqliteHead.length);
    const length = readSync(file, head);
    return length > 0 && head.toString("latin1") !== sqliteHead;
  } finally {
    closeSync(file);
  }
}

/**
 * Returns a MemorySaver with the content of another one, from a file with its fields `storage` and `writes` as written by
 * `serialize` of `node:v8` or by `JSON.stringify`. Throws a CliError for any other file.
 */
export function readMemoryDump(path: string, serializer?: SerializerProtocol): MemorySaver {
  const saver = new MemorySaver(serializer);
  try {
    const dump = new Map(entriesOf(parsed(readFileSync(path)), "the dump"));
    saver.storage = eachIn(dump.get("storage"), "storage", (thread, name) =>
      eachIn(thread, name, (space, inThread) => eachIn(space, inThread, checkpointOf)),
    );
    saver.writes = eachIn(dump.get("writes"), "writes", (writes, name) => eachIn(writes, name, writeOf));
  } catch (cause) {
    throw new CliError(
      `${path} is neither the file of a SqliteSaver nor a dump of a MemorySaver: ${reasonOf(cause)}. ` +
        "Write a dump with: writeFileSync(path, serialize({ storage: saver.storage, writes: saver.writes }))",
      { cause },
    );
  }
  return saver;
}

/** First byte of everything that `serialize` of `node:v8` writes, and of no JSON. */
const v8Head = 0xff;

function parsed(content: Buffer): unknown {
  return content[0] === v8Head ? deserialize(content) : JSON.parse(content.toString());
}

function checkpointOf(value: unknown, name: string): MemorySaver["storage"][string][string][string] {
  const [checkpoint, metadata, parent] = listOf(value, name);
  return [
    bytesOf(checkpoint, name),
    bytesOf(metadata, name),
    typeof parent === "string" ? parent : undefined,
  ];
}

function writeOf(value: unknown, name: string): MemorySaver["writes"][string][string] {
  const [task, channel, written, path] = listOf(value, name);
  return [String(task), String(channel), bytesOf(written, name), typeof path === "string" ? path : ""];
}

/** Returns bytes. In JSON, a Uint8Array is an object with one number for each index. */
function bytesOf(value: unknown, name: string): Uint8Array {
  if (value instanceof Uint8Array) return value;
  const numbers = entriesOf(value, `a value of ${name}`).map(([, byte]) => byte as number);
  if (numbers.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256))
    return Uint8Array.from(numbers);
  throw new TypeError(`a value of ${name} is not bytes`);
}

function eachIn<T>(
  value: unknown,
  name: string,
  read: (value: unknown, name: string) => T,
): Record<string, T> {
  const entries = entriesOf(value, name);
  // `fromEntries` creates own properties: an assignment to "__proto__" would set no entry.
  return Object.fromEntries(
    entries.map(([key, one]) => [key, read(one, `${name} of ${JSON.stringify(key)}`)]),
  );
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  throw new TypeError(`${name} is not a list`);
}

function entriesOf(value: unknown, name: string): [string, unknown][] {
  if (typeof value === "object" && value !== null) return Object.entries(value);
  throw new TypeError(`${name} is ${value === undefined ? "missing" : `not an object, but ${typeof value}`}`);
}

function reasonOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/u, "");
}
