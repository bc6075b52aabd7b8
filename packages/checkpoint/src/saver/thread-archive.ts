import {
  encryptedDirectory,
  hasFilesBelow,
  threadDirectory,
  threadsDirectory,
} from "@palimpsest/vfs/internal";
import type { FileDriver, VirtualFilesystem } from "@palimpsest/vfs";
import { CheckpointError } from "../checkpoint-error.js";
import { storageTime } from "../collection/storage-clock.js";

/** Deletes the archive of a thread, for a host whose own checkpointer deletes threads; `VfsSaver.deleteThread` includes it. */
export async function deleteArchive(
  { driver }: Pick<VirtualFilesystem, "driver">,
  threadId: string,
): Promise<void> {
  for (const directory of archiveDirectories(threadId)) {
    const paths: string[] = [];
    for await (const { path } of driver.list(directory)) paths.push(path);
    for (const path of paths) await driver.delete(path);
  }
}

/** Returns the directories of a thread's archive: an encrypted one is deleted without its key too. */
export function archiveDirectories(threadId: string): readonly string[] {
  return [threadDirectory(threadId), encryptedDirectory + threadDirectory(threadId)];
}

/**
 * Copies the archive of a thread to another thread, with the key that makes its folds genuine there. Existing files of the
 * other thread stay. For a host whose own checkpointer copies threads: call it before the copy runs. `VfsSaver.copyThread`
 * includes it. Throws a CheckpointError "missing-key" for an encrypted archive when `files` has no encryption.
 */
export async function copyArchive(
  files: Pick<VirtualFilesystem, "driver" | "threadDriver">,
  from: string,
  to: string,
): Promise<void> {
  await requireDecrypted(files, from);
  await copyFiles({ driver: files.driver, threadId: from }, { driver: files.threadDriver(to), threadId: to });
}

/**
 * Throws a CheckpointError "missing-key" when the archive of a thread is encrypted and `files` has no encryption: such files are
 * not found, so a copy of the thread would lack its originals.
 */
export async function requireDecrypted(
  { driver }: Pick<VirtualFilesystem, "driver">,
  threadId: string,
): Promise<void> {
  if (!(await hasFilesBelow(driver, encryptedDirectory + threadDirectory(threadId)))) return;
  throw new CheckpointError(
    "missing-key",
    `The archive of the thread ${JSON.stringify(threadId)} is encrypted, and this saver has no encryption: a copy would lack it. ` +
      "Open the saver with its encryption.",
  );
}

/** The files of one thread. */
export interface ThreadDirectory {
  readonly driver: FileDriver;
  readonly threadId: string;
}

/** Copies the archive and the key of a thread. Existing files of the target stay. */
export async function copyFiles(from: ThreadDirectory, to: ThreadDirectory): Promise<void> {
  // Keys sort after the archive. They are copied first: a thread that has files and no key has lost it.
  for (const path of (await pathsOf(from, from.threadId)).toReversed()) {
    const bytes = await from.driver.read(path);
    const target = threadDirectory(to.threadId) + path.slice(threadDirectory(from.threadId).length);
    if (bytes) await to.driver.write(target, bytes, { ifAbsent: true });
  }
}

export interface SweepOptions {
  /**
   * Minimum age, in milliseconds, of the newest file of an archive that is deleted: the first files of a thread are written
   * before its first checkpoint. @default 3_600_000
   */
  readonly grace?: number;
}

/**
 * Deletes the archives of threads that no longer exist, for hosts that delete threads by themselves, such as the LangGraph
 * server. `threadIds` are the existing ones. Returns how many archives were deleted.
 */
export async function sweepArchives(
  { driver }: Pick<VirtualFilesystem, "driver">,
  threadIds: Iterable<string>,
  { grace = 3_600_000 }: SweepOptions = {},
): Promise<number> {
  const existing = new Set([...threadIds].map((threadId) => threadDirectory(threadId)));
  const gone = new Map<string, { readonly paths: string[]; newest: string }>();
  for await (const { path, modifiedAt } of driver.list(threadsDirectory)) {
    const directory = path.split("/", 3).join("/");
    if (existing.has(directory)) continue;
    const found = gone.get(directory) ?? { paths: [], newest: "" };
    found.paths.push(path);
    if (modifiedAt > found.newest) found.newest = modifiedAt;
    gone.set(directory, found);
  }
  const settledUntil = new Date((await storageTime(driver)) - grace).toISOString();
  const settled = [...gone.values()].filter(({ newest }) => newest <= settledUntil);
  for (const { paths } of settled) for (const path of paths) await driver.delete(path);
  return settled.length;
}

/** Lists everything before the first change: a driver need not support changes during a listing. */
async function pathsOf({ driver }: Pick<VirtualFilesystem, "driver">, threadId: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { path } of driver.list(threadDirectory(threadId))) paths.push(path);
  return paths;
}
