import { JsonPlusSerializer, uuid6 } from "@langchain/langgraph-checkpoint";
import type {
  BaseCheckpointSaver,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { isDeepStrictEqual } from "node:util";
import { CheckpointError } from "../checkpoint-error.js";
import { taskPathOf } from "./tuple-reader.js";
import { checkMigration } from "./check-arguments.js";

export interface MigrateThreadOptions {
  readonly threadId: string;
  /** The saver that has the thread: any of LangGraph's, or a VfsSaver. */
  readonly from: BaseCheckpointSaver;
  readonly to: BaseCheckpointSaver;
  /**
   * Ends the thread in `from` with a checkpoint in which every channel says where it has gone: who reads it there finds that in
   * place of old messages, and a run fails. @default false
   */
  readonly closeSource?: boolean;
  /** Called after each checkpoint. `all` grows where the source is in use. */
  readonly onProgress?: (done: number, all: number) => void;
}

export interface MigratedThread {
  /** Checkpoints that this call has copied and read back. */
  readonly copied: number;
  /** Checkpoints that were in `to` already. */
  readonly present: number;
}

/**
 * Copies a thread from one saver to another, oldest checkpoint first, with its writes, and reads each back. Both directions
 * work. The source may be in use: what it gains meanwhile is copied too. A call that was interrupted is repeated: it goes on
 * where the last one ended. The archive is not part of a saver: both use the same files, or `copyThread` copies them.
 *
 * Throws a CheckpointError "bad-option" without two savers and a thread, "not-found" when there is nothing to copy, "corrupt" when what is read back is not what was written.
 */
export async function migrateThread(options: MigrateThreadOptions): Promise<MigratedThread> {
  checkMigration(options);
  const { from, to, threadId } = options;
  const done = new Set<string>();
  const count = { copied: 0, present: 0 };
  for (;;) {
    const places = await placesOf(from, threadId);
    const left = places.filter(({ key }) => !done.has(key));
    if (places.length === 0)
      throw new CheckpointError("not-found", `There is no thread ${JSON.stringify(threadId)} to migrate.`);
    if (left.length === 0) break;
    const versions = new Map(places.map((place) => [place.key, place.versions]));
    for (const { key, config } of left) {
      const tuple = await from.getTuple(config);
      // A checkpoint that was deleted since it was listed is gone.
      if (tuple !== undefined) count[(await copied(tuple, versions, to)) ? "copied" : "present"]++;
      done.add(key);
      options.onProgress?.(done.size, places.length);
    }
    // Its newest checkpoint may have gained writes since it was copied: the next round looks again.
    const newest = await from.getTuple(left.at(-1)?.config ?? {});
    if (newest !== undefined) await copied(newest, versions, to);
  }
  if (options.closeSource === true) await close(from, threadId);
  return count;
}

type ChannelVersions = CheckpointTuple["checkpoint"]["channel_versions"];

/** Copies a checkpoint, and returns false where an equal one is there. `versions` maps each checkpoint to its channel versions. */
async function copied(
  tuple: CheckpointTuple,
  versions: ReadonlyMap<string, ChannelVersions>,
  to: BaseCheckpointSaver,
): Promise<boolean> {
  const { checkpoint, config, metadata, pendingWrites = [] } = tuple;
  if (await isThere(tuple, to)) return false;
  const { checkpoint_id: _, ...place } = config.configurable ?? {};
  const parentId = parentOf(tuple);
  const parent = (parentId === undefined ? undefined : versions.get(keyOf(tuple, parentId))) ?? {};
  const newVersions = Object.fromEntries(
    Object.entries(checkpoint.channel_versions).filter(([channel, version]) => parent[channel] !== version),
  );
  const below = {
    configurable: { ...place, ...(parentId === undefined ? {} : { checkpoint_id: parentId }) },
  };
  await to.put(below, checkpoint, metadata ?? absentMetadata, newVersions);
  // In the order of their paths LangGraph applies the writes of several tasks.
  const paths = new Map(pendingWrites.map((write) => [write[0], taskPathOf(write)]));
  for (const [taskId, writes] of byTask(pendingWrites))
    await to.putWrites(config, writes, taskId, paths.get(taskId));
  if (await isThere(tuple, to)) return true;
  throw new CheckpointError(
    "corrupt",
    `The checkpoint ${checkpoint.id} of ${to.constructor.name} is not what ${JSON.stringify(place["thread_id"])} had: ` +
      `keep the source, and migrate the thread again.`,
  );
}

async function isThere(tuple: CheckpointTuple, to: BaseCheckpointSaver): Promise<boolean> {
  const stored = await to.getTuple(tuple.config);
  if (stored === undefined) return false;
  const [left, right] = [await written(stored), await written(tuple)];
  return left === right || isDeepStrictEqual(JSON.parse(left), JSON.parse(right));
}

const serializer = new JsonPlusSerializer();

/** Stored in place of metadata that the source lacks. */
const absentMetadata: CheckpointMetadata = { source: "fork", step: -1, parents: {} };

function parentOf({ parentConfig }: CheckpointTuple): string | undefined {
  return parentConfig?.configurable?.["checkpoint_id"] as string | undefined;
}

/** Returns what must be equal in both savers as JSON, without the order of writes of different tasks. */
async function written(tuple: CheckpointTuple): Promise<string> {
  const { checkpoint, metadata = absentMetadata, pendingWrites = [] } = tuple;
  const { channel_values, channel_versions: versions, ...rest } = checkpoint;
  // A channel without a version was never written: some savers store its default, others leave it out.
  const versioned = Object.entries(channel_values).filter(([channel]) => versions[channel] !== undefined);
  const values = Object.fromEntries(versioned);
  const writes = Object.fromEntries(byTask(pendingWrites));
  const parent = parentOf(tuple);
  const [, bytes] = await serializer.dumpsTyped({ ...rest, values, versions, writes, metadata, parent });
  return new TextDecoder().decode(bytes);
}

function byTask(
  writes: readonly [taskId: string, channel: string, value: unknown][],
): Map<string, PendingWrite[]> {
  const tasks = new Map<string, PendingWrite[]>();
  for (const [taskId, channel, value] of writes)
    tasks.set(taskId, [...(tasks.get(taskId) ?? []), [channel, value]]);
  return tasks;
}

/** Where a checkpoint is, without its values: the values of all checkpoints of a thread need not fit into memory. */
interface Place {
  readonly key: string;
  readonly id: string;
  readonly config: CheckpointTuple["config"];
  readonly versions: ChannelVersions;
}

/** Returns the places of all checkpoints of a thread, oldest first. */
async function placesOf(saver: BaseCheckpointSaver, threadId: string): Promise<Place[]> {
  const places: Place[] = [];
  for await (const listed of saver.list({ configurable: { thread_id: threadId } })) {
    const { config, checkpoint } = listed;
    const { id, channel_versions: versions } = checkpoint;
    if (!isClosing(listed)) places.push({ key: keyOf(listed), id, config, versions });
  }
  return places.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns the key of a checkpoint of a thread, or of another in the same namespace. */
function keyOf({ checkpoint, config }: CheckpointTuple, id = checkpoint.id): string {
  return JSON.stringify([config.configurable?.["checkpoint_ns"] ?? "", id]);
}

/** What is in place of the values of a thread that has gone to another saver. */
const movedNote = "This thread was migrated to another saver: continue it there.";

function isClosing({ checkpoint }: CheckpointTuple): boolean {
  return Object.values(checkpoint.channel_values).some(
    (value) => (value as { readonly moved?: unknown } | null | undefined)?.moved === movedNote,
  );
}

async function close(saver: BaseCheckpointSaver, threadId: string): Promise<void> {
  const newest = await saver.getTuple({ configurable: { thread_id: threadId, checkpoint_ns: "" } });
  if (newest === undefined || isClosing(newest)) return;
  const { checkpoint, metadata, config } = newest;
  // LangGraph's own channels stay as they are: it would fail on them before it comes to a value that says why.
  const channels = Object.keys(checkpoint.channel_values).filter((name) => !/^__|^branch:/.test(name));
  const newVersions = Object.fromEntries(
    channels.map((channel) => [
      channel,
      saver.getNextVersion(checkpoint.channel_versions[channel] as number),
    ]),
  );
  const closed = {
    ...checkpoint,
    id: uuid6((metadata?.step ?? 0) + 1),
    ts: new Date().toISOString(),
    channel_values: {
      ...checkpoint.channel_values,
      ...Object.fromEntries(channels.map((channel) => [channel, { moved: movedNote }])),
    },
    channel_versions: { ...checkpoint.channel_versions, ...newVersions },
  };
  const step = (metadata?.step ?? 0) + 1;
  await saver.put(config, closed, { source: "update", step, parents: {} }, newVersions);
}
