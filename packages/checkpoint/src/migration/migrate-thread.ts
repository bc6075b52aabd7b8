import { uuid6 } from "@langchain/langgraph-checkpoint";
import type { BaseCheckpointSaver, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { LRUCache } from "lru-cache";
import { CheckpointError } from "../checkpoint-error.js";
import { checkMigration } from "../saver/check-arguments.js";
import { EngineSaver } from "../saver/engine-saver.js";
import { copyFiles } from "../saver/thread-archive.js";
import { taskPathOf } from "../saver/tuple-reader.js";
import { VfsSaver } from "../saver/vfs-saver.js";
import { absentMetadata, byTask, parentOf, TupleComparison } from "./compare-tuples.js";

/** A saver that can list the checkpoints of a thread without their values, as `VfsSaver` does. */
export interface ListsCheckpoints {
  checkpoints(threadId: string): AsyncIterable<{ readonly namespace: string; readonly id: string }>;
}

export interface MigrateThreadOptions {
  readonly threadId: string;
  /**
   * The saver that has the thread: any of LangGraph's, or a VfsSaver. LangGraph's savers are faster with a
   * `CachedMessagesSerializer`, and with a method `checkpoints`: without it, `list` reads the values of every checkpoint to
   * find their ids.
   */
  readonly from: BaseCheckpointSaver & Partial<ListsCheckpoints>;
  readonly to: BaseCheckpointSaver;
  /**
   * Ends the thread in `from` with a checkpoint in which every channel says that the thread was migrated, so that nobody
   * continues it there by mistake: a run fails. @default false
   */
  readonly closeSource?: boolean;
  /** Called after each checkpoint. `all` grows if the source is in use. */
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
 * work. The source may be in use: what it gains meanwhile is copied too. A repeated call continues where an interrupted one
 * ended. Between two VfsSavers with files of their own, the archive and the key of the thread are copied too; the contents of
 * workspace files are not.
 *
 * Throws a CheckpointError "bad-option" without two savers and a thread, "not-found" when there is nothing to copy, "corrupt"
 * when what is read back is not what was written.
 */
export async function migrateThread(options: MigrateThreadOptions): Promise<MigratedThread> {
  checkMigration(options);
  const { from, threadId } = options;
  const migration = new Migration(options);
  const done = new Set<string>();
  const count = { copied: 0, present: 0 };
  let running: readonly Place[] = [];
  for (;;) {
    const places = await placesOf(from, threadId);
    const left = places.filter(({ key }) => !done.has(key));
    if (places.length === 0)
      throw new CheckpointError("not-found", `There is no thread ${JSON.stringify(threadId)} to migrate.`);
    if (left.length === 0) break;
    for (const place of left) {
      const state = await migration.copy(place);
      if (state !== "none") count[state]++;
      done.add(place.key);
      options.onProgress?.(done.size, places.length);
    }
    // The checkpoints of a step that was running may have gained writes since they were copied.
    const before = running;
    running = runningIn(places);
    for (const place of [...before, ...running]) await migration.copy(place);
  }
  await moveFiles(options);
  if (options.closeSource === true) await close(from, threadId);
  return count;
}

/** Copies the archive and the key of the thread between two savers with files of their own. */
async function moveFiles({ from, to, threadId }: MigrateThreadOptions): Promise<void> {
  if (
    !(from instanceof VfsSaver && to instanceof VfsSaver) ||
    from.files.storedDriver === to.files.storedDriver
  )
    return;
  const [source, target] = [from, to].map(({ files }) => ({
    driver: files.threadDriver(threadId),
    threadId,
  }));
  if (source && target) await copyFiles(source, target);
}

/**
 * Returns the checkpoints of a step that may be running: the newest one, and those of its subgraphs, which are newer. Pure.
 */
function runningIn(places: readonly Place[]): readonly Place[] {
  const newest = new Map(places.map((place) => [place.namespace, place]));
  const outermost = newest.get("")?.id ?? "";
  return [...newest.values()].filter(({ id }) => id >= outermost);
}

type ChannelVersions = CheckpointTuple["checkpoint"]["channel_versions"];

/** How many checkpoints to remember the channel versions of: most follow one of the newest. */
const maxVersions = 1_024;

/** Copies checkpoints of one thread, and compares each. */
class Migration {
  readonly #to: BaseCheckpointSaver;
  readonly #source: Reader;
  readonly #target: Reader;
  readonly #comparison = new TupleComparison();
  readonly #versions = new LRUCache<string, ChannelVersions>({ max: maxVersions });

  constructor({ from, to }: MigrateThreadOptions) {
    this.#to = to;
    this.#source = readerOf(from);
    this.#target = readerOf(to);
  }

  /**
   * Returns "present" if the target has an equal checkpoint, and "none" if it is gone from the source or marks a migrated
   * thread.
   */
  async copy({ config }: Place): Promise<"copied" | "present" | "none"> {
    const tuple = await this.#source.getTuple(config);
    if (tuple === undefined || isClosing(tuple)) return "none";
    this.#versions.set(keyOf(tuple), tuple.checkpoint.channel_versions);
    if (await this.#isThere(tuple)) return "present";
    await this.#put(tuple);
    if (await this.#isThere(tuple)) return "copied";
    throw new CheckpointError(
      "corrupt",
      `The checkpoint ${tuple.checkpoint.id} of ${this.#to.constructor.name} is not what ` +
        `${JSON.stringify(config.configurable["thread_id"])} had: keep the source, and migrate the thread again.`,
    );
  }

  async #put(tuple: CheckpointTuple): Promise<void> {
    const { checkpoint, config, metadata = absentMetadata, pendingWrites = [] } = tuple;
    const { checkpoint_id: _, ...place } = config.configurable ?? {};
    const parentId = parentOf(tuple);
    const parent =
      parentId === undefined ? {} : await this.#versionsOf({ ...place, checkpoint_id: parentId });
    const newVersions = Object.fromEntries(
      Object.entries(checkpoint.channel_versions).filter(([channel, version]) => parent[channel] !== version),
    );
    const below = {
      configurable: { ...place, ...(parentId === undefined ? {} : { checkpoint_id: parentId }) },
    };
    await this.#to.put(below, checkpoint, metadata, newVersions);
    // LangGraph applies the writes of several tasks in the order of their paths.
    const paths = new Map(pendingWrites.map((write) => [write[0], taskPathOf(write)]));
    for (const [taskId, writes] of byTask(pendingWrites))
      await this.#to.putWrites(config, writes, taskId, paths.get(taskId));
  }

  /** Returns the channel versions of a checkpoint of the source; none if it is gone. */
  async #versionsOf(configurable: Readonly<Record<string, unknown>>): Promise<ChannelVersions> {
    const known = this.#versions.get(placeKey(configurable));
    if (known) return known;
    return (await this.#source.getTuple({ configurable }))?.checkpoint.channel_versions ?? {};
  }

  async #isThere(tuple: CheckpointTuple): Promise<boolean> {
    const stored = await this.#target.getTuple(tuple.config);
    return stored !== undefined && this.#comparison.isSame(tuple, stored);
  }
}

type Reader = Pick<BaseCheckpointSaver, "getTuple">;

/** Returns a reader of successive checkpoints. They may share messages, because none is changed. */
function readerOf(saver: BaseCheckpointSaver): Reader {
  return saver instanceof EngineSaver ? saver.sharedReader() : saver;
}

/** The place of a checkpoint, without its values: the values of all checkpoints of a thread need not fit into memory. */
interface Place {
  readonly key: string;
  readonly namespace: string;
  readonly id: string;
  readonly config: { readonly configurable: Readonly<Record<string, unknown>> };
}

/** Returns the places of all checkpoints of a thread, oldest first. */
async function placesOf(saver: MigrateThreadOptions["from"], threadId: string): Promise<Place[]> {
  const places: Place[] = [];
  for await (const [namespace, id] of idsOf(saver, threadId)) {
    const configurable = { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: id };
    places.push({ key: placeKey(configurable), namespace, id, config: { configurable } });
  }
  return places.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

async function* idsOf(
  saver: MigrateThreadOptions["from"],
  threadId: string,
): AsyncGenerator<readonly [namespace: string, id: string]> {
  if (saver.checkpoints)
    for await (const { namespace, id } of saver.checkpoints(threadId)) yield [namespace, id];
  else
    for await (const { config, checkpoint } of saver.list({ configurable: { thread_id: threadId } }))
      yield [(config.configurable?.["checkpoint_ns"] as string | undefined) ?? "", checkpoint.id];
}

function keyOf({ config }: CheckpointTuple): string {
  return placeKey(config.configurable ?? {});
}

/** Returns the key of a checkpoint of the thread. Pure. */
function placeKey({
  checkpoint_ns: namespace = "",
  checkpoint_id: id,
}: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([namespace, id]);
}

/** Replaces the values of a thread that was migrated to another saver. */
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
  // LangGraph's own channels stay as they are: it would fail on them before it reads a value that says why.
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
