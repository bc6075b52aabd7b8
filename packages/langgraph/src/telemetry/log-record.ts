import type { ContextEvent } from "../context-event.js";

/** The fields of an event that a log may keep. */
export type LogRecord = Readonly<Record<string, string | number | boolean>>;

/**
 * Fields whose texts are words of this package, ids or digests. Every other text of an event may hold what a user, a model, a tool
 * or a provider has said.
 */
const namedFields = new Set([
  "type",
  "threadId",
  "reason",
  "strategy",
  "due",
  "rung",
  "next",
  "step",
  "messageId",
  "id",
  "kind",
  "fold",
]);

/** Fields that are left out with all that is in them, although they hold numbers. */
const leftOut = new Set(["pace", "kinds", "carried", "block"]);

/** Deepest value that is read: the usage of a fold of an event. */
const deepest = 3;

/**
 * Returns an event as a flat record for a log: names, ids, numbers, and of each list its length. Holds nothing that a user, a model
 * or a tool has said, and of an error only its class and its code. Keys of nested values have a dot: `fold.kind`. Pure.
 */
export function logRecord(event: ContextEvent): LogRecord {
  return Object.fromEntries(fieldsOf(event, ""));
}

type Fields = [string, string | number | boolean][];

function fieldsOf(value: object, prefix: string): Fields {
  return Object.entries(value)
    .filter(([name]) => !leftOut.has(name))
    .flatMap(([name, field]: [string, unknown]) => {
      if (name === "error") return [[prefix + name, errorType(field)]] satisfies Fields;
      if (typeof field === "string" && !namedFields.has(name)) return [];
      return typeof field === "object" ? nested(field, prefix + name) : plain(field, prefix + name);
    });
}

function plain(field: unknown, key: string): Fields {
  const isPlain = typeof field === "number" || typeof field === "boolean" || typeof field === "string";
  return isPlain ? [[key, field]] : [];
}

function nested(field: object | null, key: string): Fields {
  if (Array.isArray(field)) return [[key, field.length]];
  return field === null || key.split(".").length >= deepest ? [] : fieldsOf(field, `${key}.`);
}

/**
 * Returns the class of an error, and its code if it has one: `FileError disk-full`. No message: providers and tools quote in it what
 * they were sent. Pure.
 */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { name, constructor } = error;
  const own = wordOf(name) ?? wordOf(constructor.name) ?? "Error";
  const code = wordOf((error as { readonly code?: unknown }).code);
  return code === undefined ? own : `${own} ${code}`;
}

/** Returns a name or a code; undefined for anything that may be a sentence. */
function wordOf(value: unknown): string | undefined {
  const isWord = typeof value === "string" && /^[\w$-]{1,64}$/.test(value);
  return isWord ? value : undefined;
}
