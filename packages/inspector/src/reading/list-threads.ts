import type { VfsSaver } from "@palimpsest/checkpoint";
import { isArchivePath, isFoldFile } from "@palimpsest/context/internal";
import { threadDirectory, threadsDirectory } from "@palimpsest/vfs/internal";
import { checkpointsOf } from "./checkpoints-of.js";
import { damageOf } from "./damage-of.js";
import type { ArchiveSize, ThreadArchive, ThreadSize, ThreadView } from "../view.js";

/** Returns the threads, newest first, and last those that are damaged. Reads one checkpoint of each. */
export async function listThreads(saver: VfsSaver): Promise<readonly ThreadView[]> {
  const rows: ThreadView[] = [];
  for (const thread of await saver.threads())
    rows.push(
      await newestOf(saver, thread).then(
        (newest) => ({ thread, newest }),
        (error: unknown) => {
          const damage = damageOf(error);
          if (damage === undefined) throw error;
          return { thread, newest: "", damage };
        },
      ),
    );
  return rows.toSorted((a, b) => (a.newest < b.newest ? 1 : -1));
}

async function newestOf(saver: VfsSaver, thread: string): Promise<string> {
  let newest = "";
  for await (const { createdAt, namespace } of saver.checkpoints(thread)) {
    newest = createdAt;
    if (namespace === "") break;
  }
  return newest;
}

/** Counts the checkpoints of a thread, those of its subgraphs included, and what its archive holds. */
export async function sizeOfThread(saver: VfsSaver, thread: string): Promise<ThreadSize> {
  const { length: checkpoints } = await checkpointsOf(saver, thread);
  let archive = emptyArchive;
  for await (const { path, size } of saver.files.archive(thread).list())
    archive = withFile(archive, path, size);
  return { checkpoints, ...archive };
}

/** Returns what the archive of each thread holds, from one listing of the files of all threads. */
export async function listArchives(saver: VfsSaver): Promise<readonly ThreadArchive[]> {
  const archives = new Map<string, ArchiveSize>();
  for await (const { path, size } of saver.files.driver.list(threadsDirectory)) {
    const directory = path.split("/", 3).join("/");
    const below = path.slice(directory.length);
    if (!isArchivePath(below)) continue;
    archives.set(directory, withFile(archives.get(directory) ?? emptyArchive, below, size));
  }
  const threads = await saver.threads();
  return threads.map((thread) => ({ thread, ...(archives.get(threadDirectory(thread)) ?? emptyArchive) }));
}

const emptyArchive: ArchiveSize = { folds: 0, archiveFiles: 0, archiveBytes: 0 };

function withFile(
  { folds, archiveFiles, archiveBytes }: ArchiveSize,
  path: string,
  size: number,
): ArchiveSize {
  return {
    folds: folds + (isFoldFile(path) ? 1 : 0),
    archiveFiles: archiveFiles + 1,
    archiveBytes: archiveBytes + size,
  };
}
