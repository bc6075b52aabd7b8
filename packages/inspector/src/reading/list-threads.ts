import type { VfsSaver } from "@palimpsest/checkpoint";
import type { ThreadSize, ThreadView } from "../view.js";

/** Returns the threads, newest first. Reads one checkpoint of each. */
export async function listThreads(saver: VfsSaver): Promise<readonly ThreadView[]> {
  const rows: ThreadView[] = [];
  for (const thread of await saver.threads()) {
    let newest = "";
    for await (const { createdAt, namespace } of saver.checkpoints(thread)) {
      newest = createdAt;
      if (namespace === "") break;
    }
    rows.push({ thread, newest });
  }
  return rows.toSorted((a, b) => (a.newest < b.newest ? 1 : -1));
}

/** Counts the checkpoints of a thread, those of its subgraphs included, and what its archive holds. */
export async function sizeOfThread(saver: VfsSaver, thread: string): Promise<ThreadSize> {
  let [checkpoints, archiveFiles, archiveBytes] = [0, 0, 0];
  for await (const _ of saver.checkpoints(thread)) checkpoints += 1;
  for await (const { size } of saver.files.archive(thread).list()) {
    archiveFiles += 1;
    archiveBytes += size;
  }
  return { checkpoints, archiveFiles, archiveBytes };
}
