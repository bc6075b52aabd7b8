import { despiteCollections, tuplesOf } from "../../collection/reach.js";
import { keyInThread } from "../../engine.js";
import type { Engine, Rewrite, StoredTuple } from "../../engine.js";
import { byTask, copyCheckpoints, type Copying } from "../../collection/copy-checkpoints.js";
import type { DriverBlobs } from "./driver-blobs.js";

const swapPrefix = "palimpsest-swap:";

/** Returns the id of the copy that takes the place of a thread. */
function swapId(threadId: string): string {
  return swapPrefix + threadId;
}

/**
 * Replaces a thread by a copy with other contents: writes the copy, deletes the thread, copies back, deletes the copy. A mark says when
 * the copy is complete, and when the thread is.
 */
export async function swapThread(engine: Engine, blobs: DriverBlobs, rewrite: Rewrite): Promise<void> {
  await writeCopy(engine, rewrite);
  await copyBack(engine, blobs, rewrite.threadId);
}

/** Ends swaps that a kill has interrupted. Where the copy was not complete, the thread itself is whole. */
export async function finishSwaps(engine: Engine, blobs: DriverBlobs): Promise<void> {
  const marks = await blobs.swaps();
  for (const { threadId, isCopiedBack } of marks)
    await (isCopiedBack ? deleteCopy(engine, blobs, threadId) : copyBack(engine, blobs, threadId));
  const copies = (await engine.threads()).filter((threadId) => threadId.startsWith(swapPrefix));
  for (const copy of copies) await engine.deleteThread(copy);
}

async function copyBack(engine: Engine, blobs: DriverBlobs, threadId: string): Promise<void> {
  await blobs.markSwap({ threadId, isCopiedBack: false });
  // Steps that an agent has taken after a kill stay.
  if (!(await isContinued(engine, threadId))) await engine.deleteThread(threadId);
  await copyCheckpoints(engine, { from: swapId(threadId), to: threadId }, async () => undefined);
  await deleteCopy(engine, blobs, threadId);
}

/** Returns true for a thread with a checkpoint that its copy lacks. */
async function isContinued(engine: Engine, threadId: string): Promise<boolean> {
  const copied = new Set((await tuplesOf(engine, swapId(threadId))).map(keyInThread));
  return (await tuplesOf(engine, threadId)).some((tuple) => !copied.has(keyInThread(tuple)));
}

async function deleteCopy(engine: Engine, blobs: DriverBlobs, threadId: string): Promise<void> {
  await blobs.markSwap({ threadId, isCopiedBack: true });
  await engine.deleteThread(swapId(threadId));
  await blobs.endSwap(threadId);
}

/** Writes the thread under the id of its copy, with the new contents, and only what they need. */
async function writeCopy(engine: Engine, { threadId, blobs, checkpoints, writes }: Rewrite): Promise<void> {
  const to = swapId(threadId);
  const newCheckpoints = new Map(checkpoints.map((each) => [keyInThread(each), each]));
  const newWrites = new Map(writes.map((each) => [JSON.stringify([keyInThread(each), each.taskId]), each]));
  await engine.commit({ threadId: to, epoch: undefined, blobs });
  const replaced = (tuple: StoredTuple): StoredTuple => {
    const tasks = byTask(tuple.writes).map((task) => ({
      ...task,
      ...newWrites.get(JSON.stringify([keyInThread(tuple), task.taskId])),
    }));
    const all = tasks.flatMap(({ taskId, taskPath, writes: own }) =>
      own.map(({ channel, value }) => ({ taskId, taskPath, channel, value })),
    );
    return { ...tuple, ...newCheckpoints.get(keyInThread(tuple)), writes: all };
  };
  const list: Engine["list"] = async function* list(query) {
    for await (const tuple of engine.list(query)) yield replaced(tuple);
  };
  const read: Engine["blobs"] = async (from, digests, options) => {
    const found = new Map(await engine.blobs(from, digests, options));
    for (const digest of digests) {
      const stored = blobs.get(digest);
      if (stored !== undefined) found.set(digest, stored);
    }
    return found;
  };
  const source: Copying = { commit: async (batch) => engine.commit(batch), list, blobs: read };
  await despiteCollections(async () =>
    copyCheckpoints(source, { from: threadId, to }, async () => undefined),
  );
}
