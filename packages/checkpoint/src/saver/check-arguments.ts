import type { FileDriver } from "@palimpsest/vfs";
import type { KeyRing } from "@palimpsest/vfs/internal";
import { CheckpointError } from "../checkpoint-error.js";
import type { ThreadRange } from "../engine.js";
import { checkId, checkName, checkThreadId, shown } from "./place-of.js";

/** Methods that LangGraph and hosts call on a saver. */
const methods = [
  "getTuple",
  "get",
  "list",
  "put",
  "putWrites",
  "deleteThread",
  "prune",
  "close",
  "readThread",
  "copyThread",
  "threads",
  "checkpoints",
];

function say(): never {
  throw bad("VfsSaver.fromPostgres returns a promise", "await it before you pass it on");
}

/** Returns the same promise, with the methods of a saver, which throw an error that says to await it. */
export function mustBeAwaited<Saver>(opening: Promise<Saver>): Promise<Saver> {
  const called = methods.map((name) => [name, { value: say }] as const);
  return Object.defineProperties(opening, { ...Object.fromEntries(called), files: { get: say } });
}

/** Refuses arguments with which no saver can be wrapped. @throws CheckpointError "bad-option" */
export function checkWrapped(saver: unknown, blobs: unknown): void {
  if (saver instanceof Promise) throw bad("The saver to wrap is a Promise", "await it");
  if (typeof (saver as { getTuple?: unknown } | undefined)?.getTuple !== "function")
    throw bad(
      `The saver to wrap is ${typeof saver}`,
      "pass a checkpointer of LangGraph, such as a PostgresSaver",
    );
  if (typeof (blobs as Partial<FileDriver> | undefined)?.write === "function") return;
  throw bad(
    `blobs is ${typeof blobs}`,
    'pass a driver that stores contents, such as { blobs: new DirectoryDriver(".agent") }',
  );
}

/**
 * Refuses wrong arguments of the constructor, which takes an engine; a path is for `fromPath`. @throws CheckpointError
 * "bad-option"
 */
export function checkParts(parts: unknown): void {
  if (typeof parts === "object" && parts !== null && "engine" in parts && "driver" in parts) return;
  throw bad(
    "new VfsSaver takes an engine and a driver",
    "call VfsSaver.fromPath(path), VfsSaver.inMemory() or await VfsSaver.fromPostgres(url)",
  );
}

/** @throws CheckpointError "bad-option" */
export function checkUnfold(unfold: unknown): void {
  if (unfold === undefined || typeof unfold === "function") return;
  throw bad(`unfold is ${JSON.stringify(unfold)}`, "pass the function unfold of @palimpsest/context");
}

/** A copy shares its contents with the original, so both have one key. @throws CheckpointError "bad-option" */
export function checkCopy(from: unknown, to: unknown, ring?: KeyRing): void {
  for (const [name, id] of Object.entries({ from, to })) {
    if (typeof id !== "string" || id === "")
      throw bad(`${name} is ${JSON.stringify(id)}`, "call copyThread(from, to) with two ids of threads");
    checkThreadId(id);
  }
  const [own, other] = [from, to].map((id) => ring?.idOf(String(id)));
  if (own !== other)
    throw bad(
      `${JSON.stringify(from)} is encrypted with the key ${JSON.stringify(own)}, and ${JSON.stringify(to)} would be with ${JSON.stringify(other)}`,
      "let encryption.keyId return one id for both",
    );
}

/** @throws CheckpointError "bad-option" */
export function checkMigration(options: object): void {
  const { from, to, threadId } = options as Readonly<Record<string, { readonly getTuple?: unknown }>>;
  const areSavers = [from, to].every((saver) => typeof saver?.getTuple === "function");
  if (areSavers && typeof threadId === "string") return;
  throw bad(
    "migrateThread needs two savers and the id of a thread",
    "call migrateThread({ from, to, threadId })",
  );
}

/** Refuses unknown options. @throws CheckpointError "bad-option" */
export function checkNames(options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) throw bad(`${unknown} is not an option`, `the options are ${names.join(", ")}`);
}

/** Returns the cache size in bytes, or refuses it. @throws CheckpointError "bad-option" */
export function checkCacheBytes(given: number): number {
  if (Number.isSafeInteger(given) && given > 0) return given;
  throw bad(`cacheBytes is ${given}`, "pass a whole number of bytes above 0");
}

/**
 * Refuses a checkpoint that could be stored and never read again: one without an id, or with parts that are no objects.
 * @throws CheckpointError "bad-option"
 */
export function checkPut(given: Readonly<Record<"checkpoint" | "metadata" | "newVersions", unknown>>): void {
  checkObjects(given);
  const { id, channel_values, channel_versions } = given.checkpoint as Readonly<Record<string, unknown>>;
  checkId("checkpoint.id", id);
  checkObjects({
    "checkpoint.channel_values": channel_values,
    "checkpoint.channel_versions": channel_versions,
  });
}

function checkObjects(values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values))
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw bad(`${name} is ${shown(value)}`, "pass an object, as LangGraph does");
}

/** Refuses writes that could be stored and never read again. @throws CheckpointError "bad-option" */
export function checkWrites(given: {
  readonly writes: unknown;
  readonly taskId: unknown;
  readonly taskPath: unknown;
}): void {
  checkId("taskId", given.taskId);
  checkName("taskPath", given.taskPath);
  const { writes } = given;
  if (!Array.isArray(writes)) throw bad(`writes is ${shown(writes)}`, "pass a list of [channel, value]");
  for (const [at, write] of (writes as unknown[]).entries())
    if (!Array.isArray(write) || typeof write[0] !== "string")
      throw bad(`writes[${at}] is ${shown(write)}`, "pass [channel, value] with the name of a channel");
}

/** Returns how many are wanted at most; Infinity for none given. @throws CheckpointError "bad-option" */
export function checkLimit(limit: unknown): number {
  const most = limit ?? Infinity;
  if (most === Infinity || (Number.isSafeInteger(most) && Number(most) >= 0)) return Number(most);
  throw bad(`limit is ${shown(limit)}`, "pass a whole number of at least 0, or leave it out");
}

/** Refuses a range of threads that engines would read differently. @throws CheckpointError "bad-option" */
export function checkRange<Range extends ThreadRange>(given: Range) {
  const [prefix, after] = (["prefix", "after"] as const).map((name) => {
    const text: unknown = given[name] ?? undefined;
    return text === undefined || text === "" ? text : checkName(name, text);
  });
  const most = checkLimit(given.limit);
  return { ...given, prefix, after, limit: most === Infinity ? undefined : most };
}

function bad(what: string, way: string): CheckpointError {
  return new CheckpointError("bad-option", `${what}: ${way}.`);
}
