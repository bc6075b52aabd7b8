import { CheckpointError } from "../../checkpoint-error.js";
import type { ThreadIndex } from "../saver-options.js";
import { checkNames } from "../check-arguments.js";

/** A text to erase, exactly as it is, or an expression for such texts. */
export type EraseMatch = string | RegExp;

/** What to erase, and why. Without `match`, whole threads go. */
export interface EraseOptions {
  /** Ids of the only threads to look at. @default all, which needs `match` */
  readonly thread?: string | readonly string[];
  /** Looks at the threads of this scope of memories, such as a user, instead. */
  readonly scope?: string;
  /** What to erase wherever it stands: texts of at least 4 characters, or expressions. @default everything of the threads */
  readonly match?: EraseMatch | readonly EraseMatch[];
  /** Stands in the tombstones, after the date. One line of at most 200 characters, without quotation marks and backslashes. */
  readonly reason: string;
  /** Looks for what would be erased, and changes nothing. @default false */
  readonly dryRun?: boolean;
  /** The index of the archives, from which what is erased goes too. @default the `index` of the saver */
  readonly index?: ThreadIndex;
}

/** What was erased in one thread, or with `dryRun` would be. */
export interface ErasedThread {
  readonly threadId: string;
  /** The whole thread was deleted. The numbers are then 0. */
  readonly deleted: boolean;
  /** No checkpoint and no file of the thread was stored: its id is wrong, or it was erased before. */
  readonly missing: boolean;
  /** Checkpoints that were rewritten, with the pending writes below them. */
  readonly checkpoints: number;
  /** Files of the archive, of notes and turns. */
  readonly archiveFiles: number;
  /** Contents of workspace files. */
  readonly workspaceFiles: number;
  /** Tombstones in them: a text that several messages or files hold counts in each. */
  readonly texts: number;
  /** Bytes of the texts in their place. */
  readonly bytes: number;
}

/** The report of an erasure. */
export interface Erasure {
  /** The text in the place of what was erased: `[erased 2026-01-31: key leaked]`. */
  readonly tombstone: string;
  /** Threads in which something was erased, and those that were named to go whole. */
  readonly threads: readonly ErasedThread[];
  /** Ids of other threads that hold a match, if `thread` named some: nothing was erased there. */
  readonly elsewhere: readonly string[];
  /** Threads that could not be read or rewritten, which stay as they are. */
  readonly failed: readonly { readonly threadId: string; readonly error: Error }[];
  /** Places that this storage cannot clean by itself, each as a sentence with what to do. */
  readonly left: readonly string[];
}

/** Options whose values are checked. */
export interface CheckedErase {
  readonly threads: ReadonlySet<string> | undefined;
  readonly scope: string | undefined;
  readonly matches: readonly EraseMatch[];
  readonly tombstone: string;
  readonly dryRun: boolean;
}

const minLength = 4;
const maxReason = 200;

/** @throws CheckpointError "bad-option" */
export function checkErase(options: EraseOptions, now = new Date()): CheckedErase {
  checkNames(options, ["thread", "scope", "match", "reason", "dryRun", "index"]);
  const { thread, scope, match, reason, dryRun = false } = options;
  const matches = listOf(match);
  for (const each of matches) checkMatch(each);
  checkNamed(options, matches);
  checkReason(reason);
  const tombstone = `[erased ${now.toISOString().slice(0, 10)}: ${reason}]`;
  checkTombstone(tombstone, matches);
  const threads = thread === undefined ? undefined : new Set(listOf(thread));
  return { threads, scope, matches, tombstone, dryRun };
}

function checkNamed({ thread, scope }: EraseOptions, matches: readonly EraseMatch[]): void {
  if (thread !== undefined && scope !== undefined)
    throw bad("erase is given thread and scope", "Pass one of them");
  if (thread === undefined && scope === undefined && matches.length === 0)
    throw bad("erase is given no thread, scope or match", "Pass the ids of threads, or the texts to erase");
}

function checkTombstone(tombstone: string, matches: readonly EraseMatch[]): void {
  const isHit = (match: EraseMatch) =>
    typeof match === "string" ? tombstone.includes(match) : globally(match).test(tombstone);
  if (matches.some(isHit))
    throw bad(
      `match would erase its own tombstone, ${tombstone}`,
      "Give a reason without the text, or a narrower expression",
    );
}

function listOf<T>(given: T | readonly T[] | undefined): readonly T[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? (given as readonly T[]) : [given as T];
}

function checkMatch(match: EraseMatch): void {
  if (match instanceof RegExp) {
    if (globally(match).test(""))
      throw bad(`match is ${String(match)}, which also matches no text`, "Pass a narrower expression");
  } else if (typeof match !== "string" || match.trim().length < minLength)
    throw bad(
      `match has ${typeof match === "string" ? match.trim().length : 0} characters`,
      `Pass a text of at least ${minLength} characters, or an expression: a shorter text stands in too many words`,
    );
}

function checkReason(reason: unknown): void {
  const isLine = typeof reason === "string" && reason.trim() !== "" && !/["\\\p{Cc}]/u.test(reason);
  if (!isLine || reason.length > maxReason)
    throw bad(
      `reason is ${JSON.stringify(reason)}`,
      `Pass one line of at most ${maxReason} characters without quotation marks and backslashes`,
    );
}

/** Returns the expression with the flag that lets it match everywhere, and without the one that ties it to a place. Pure. */
export function globally({ source, flags }: RegExp): RegExp {
  return new RegExp(source, `${flags.replace(/[gy]/g, "")}g`);
}

function bad(what: string, way: string): CheckpointError {
  return new CheckpointError("bad-option", `${what}. ${way}.`);
}
