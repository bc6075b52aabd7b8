import { scopeDirectory, scopesDirectory, threadDirectory } from "@palimpsest/vfs/internal";
import type { FileDriver } from "@palimpsest/vfs";
import type { Node } from "../../codec/node.js";
import { logErasure } from "../../collection/erasure-log.js";
import type { ThreadIndex } from "../saver-options.js";
import {
  checkErase,
  type CheckedErase,
  type ErasedThread,
  type EraseOptions,
  type Erasure,
} from "./erase-options.js";
import { ThreadErasure, type ErasableStorage } from "./erase-thread.js";
import { doReach, earlyIn, holdsMatch } from "./find-matches.js";
import { Redaction } from "./redaction.js";
import { sweepFiles } from "./sweep-files.js";
import { scrubStorage } from "./scrub-storage.js";

export interface ErasingStorage extends ErasableStorage {
  readonly index: ThreadIndex | undefined;
  /** Deletes all of a thread, whatever its age. */
  readonly deleteThread: (threadId: string) => Promise<void>;
}

/** Erases what the options name, in every thread or in some, and then the bytes of what was deleted. Repeat it after a kill. */
export async function eraseThreads(storage: ErasingStorage, options: EraseOptions): Promise<Erasure> {
  const given = checkErase(options);
  await storage.engine.resume?.();
  const { driver } = storage.files;
  const members = given.scope === undefined ? undefined : await membersOf(driver, given.scope);
  const checked = { ...given, threads: members ?? given.threads };
  const early = given.matches.length === 0 ? new Map<string, Node[]>() : await earlyIn(storage);
  const stored = new Set([...(await storage.engine.threads()), ...early.keys()]);
  const run = new ErasureRun(storage, checked, { stored, early });
  const ids = [...new Set([...stored, ...(checked.threads ?? [])])].toSorted();
  for (const threadId of ids) await run.visit(threadId);
  if (checked.dryRun) return run.end();
  await forgetScopes(storage, checked);
  const erasure = await run.end();
  await logErasure(driver, erasure.tombstone, erasure.threads);
  return erasure;
}

/** Returns the ids of the threads of a scope. */
async function membersOf(driver: FileDriver, scope: string): Promise<ReadonlySet<string>> {
  const members = new Set<string>();
  for await (const { path } of driver.list(`${scopeDirectory(scope)}/threads`))
    members.add(String(await jsonIn(driver, path)));
  return members;
}

/**
 * Deletes the turns of all scopes from the index, which fills itself from their files again, and a scope of which all is erased with
 * its list of threads.
 */
async function forgetScopes(
  { files: { driver }, index }: ErasingStorage,
  { scope, matches }: CheckedErase,
): Promise<void> {
  const paths: string[] = [];
  for await (const { path } of driver.list(scopesDirectory)) paths.push(path);
  for (const path of paths)
    if (path.endsWith("/key.json")) await index?.removeThread(String(await jsonIn(driver, path)));
  if (scope === undefined || matches.length > 0) return;
  for (const path of paths) if (path.startsWith(`${scopeDirectory(scope)}/`)) await driver.delete(path);
}

async function jsonIn(driver: FileDriver, path: string): Promise<unknown> {
  const bytes = await driver.read(path);
  return bytes && JSON.parse(Buffer.from(bytes).toString());
}

/** What the engine holds. */
interface Found {
  /** Ids of threads. */
  readonly stored: ReadonlySet<string>;
  /** By thread, the values of writes whose checkpoint is not stored. */
  readonly early: ReadonlyMap<string, readonly Node[]>;
}

/** One erasure, thread by thread. */
class ErasureRun {
  readonly #storage: ErasingStorage;
  readonly #checked: CheckedErase;
  readonly #found: Found;
  readonly #redaction: Redaction;
  readonly #threads: ErasedThread[] = [];
  readonly #elsewhere: string[] = [];
  readonly #failed: Erasure["failed"][number][] = [];
  readonly #directories = new Set<string>();
  /** Ids that hold a match themselves. */
  readonly #hitIds: string[] = [];

  constructor(storage: ErasingStorage, checked: CheckedErase, found: Found) {
    this.#storage = storage;
    this.#checked = checked;
    this.#found = found;
    this.#redaction = Redaction.of(checked.matches, checked.tombstone);
  }

  /** Erases in a thread, or notes that it holds a match. A thread that cannot be read stays as it is. */
  async visit(threadId: string): Promise<void> {
    this.#directories.add(threadDirectory(threadId));
    if (this.#redaction.text(threadId) !== threadId) this.#hitIds.push(threadId);
    try {
      const { threads, matches } = this.#checked;
      const isNamed = threads === undefined || threads.has(threadId);
      if (matches.length > 0) await this.#visitMatches(threadId, isNamed);
      else if (isNamed) await this.#delete(threadId);
    } catch (error) {
      this.#failed.push({ threadId, error: error as Error });
    }
  }

  async end(): Promise<Erasure> {
    const { tombstone, threads, matches, dryRun } = this.#checked;
    const isWhole = threads === undefined && this.#failed.length === 0;
    const { driver, mountPaths } = this.#storage.files;
    const swept = !dryRun && isWhole ? await sweepFiles(driver, this.#redaction, this.#directories) : [];
    const isChanged = this.#threads.length > 0 || (isWhole && matches.length > 0);
    const left = [
      ...this.#hitIds.map(namedAfterIt),
      ...mountPaths.map(inMount),
      ...swept.map(inIndexes),
      ...(dryRun || !isChanged ? [] : await scrubStorage(this.#storage)),
    ];
    return { tombstone, threads: this.#threads, elsewhere: this.#elsewhere, failed: this.#failed, left };
  }

  async #visitMatches(threadId: string, isNamed: boolean): Promise<void> {
    const { dryRun } = this.#checked;
    const roots = this.#found.early.get(threadId) ?? [];
    const dropEarly = await doReach(this.#storage, { threadId, roots }, this.#redaction);
    if (!dropEarly && !(await holdsMatch(this.#storage, threadId, this.#redaction))) return;
    if (!isNamed) {
      this.#elsewhere.push(threadId);
      return;
    }
    // Previews cut texts only where there were some.
    const redaction = this.#redaction.with({ pieces: true });
    if (!dryRun) await this.#storage.index?.removeThread(threadId);
    const erasure = await ThreadErasure.begin(this.#storage, threadId, redaction);
    this.#threads.push(await erasure.run({ dryRun, dropEarly }));
  }

  async #delete(threadId: string): Promise<void> {
    const missing = !this.#found.stored.has(threadId) && !(await this.#hasFiles(threadId));
    const none = {
      threadId,
      deleted: true,
      missing,
      checkpoints: 0,
      archiveFiles: 0,
      workspaceFiles: 0,
      texts: 0,
      bytes: 0,
    };
    // Also of a missing thread: a call that was killed may have left rows of it that nothing lists.
    if (!this.#checked.dryRun) await this.#storage.deleteThread(threadId);
    this.#threads.push(none);
  }

  async #hasFiles(threadId: string): Promise<boolean> {
    for await (const _ of this.#storage.files.driver.list(threadDirectory(threadId))) return true;
    return false;
  }
}

function namedAfterIt(threadId: string): string {
  return `The id of the thread ${JSON.stringify(threadId)} holds a match: copy the thread to another id, and erase this one.`;
}

function inMount(path: string): string {
  return `Files below ${path} belong to a mount, where nothing was looked for: erase there too.`;
}

function inIndexes(directory: string): string {
  return `The archive of a deleted thread, ${directory}, held a match: remove the thread from your indexes too.`;
}
