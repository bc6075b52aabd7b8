import type { VirtualFilesystem } from "@palimpsest/vfs";
import { postponedRoot, referencePlaces } from "../../collection/file-references.js";
import type { FileReferences } from "../../collection/file-references.js";
import type { WholeDeletion } from "../../engine.js";
import type { ThreadIndex } from "../saver-options.js";
import { checkThreadId } from "../place-of.js";
import { archiveDirectories, deleteArchive } from "../thread-archive.js";

/** The parts of a saver from which threads are deleted. */
export interface DeletedFrom {
  readonly files: VirtualFilesystem;
  /** For a storage that deletes checkpoints and files at once. */
  readonly deletion: WholeDeletion | undefined;
  /** Deletes the checkpoints of one thread, and forgets it. */
  readonly deleteCheckpoints: (threadId: string) => Promise<void>;
  /** Forgets what this process knows of a thread. */
  readonly forget: (threadId: string) => void;
  readonly references: FileReferences;
  readonly index: ThreadIndex | undefined;
}

/**
 * Deletes threads from the index, then their checkpoints and archives, then contents of workspace files that no other thread
 * references. Stops at the first failure; the threads before it are deleted. Safe to repeat.
 */
export async function deleteThreads(
  storage: DeletedFrom,
  threadIds: readonly string[],
  { keepArchive }: { readonly keepArchive: boolean },
): Promise<void> {
  threadIds.forEach(checkThreadId);
  const { deletion, forget, references, index } = storage;
  if (deletion === undefined) {
    for (const threadId of threadIds) await deleteThread(storage, threadId, keepArchive);
    return;
  }
  if (!keepArchive) for (const threadId of threadIds) await index?.removeThread(threadId);
  const left = await deletion.deleteThreads(
    threadIds.map((threadId) => ({
      threadId,
      archives: keepArchive ? [] : archiveDirectories(threadId),
      ...referencePlaces(threadId),
    })),
    postponedRoot,
  );
  threadIds.forEach(forget);
  await references.releaseLeft(threadIds, left);
}

async function deleteThread(
  { files, deleteCheckpoints, references, index }: DeletedFrom,
  threadId: string,
  keepArchive: boolean,
): Promise<void> {
  if (!keepArchive) await index?.removeThread(threadId);
  const own = await references.of(threadId);
  await deleteCheckpoints(threadId);
  if (!keepArchive) await deleteArchive(files, threadId);
  await references.release(threadId, own);
  await references.endCopy(threadId);
}
