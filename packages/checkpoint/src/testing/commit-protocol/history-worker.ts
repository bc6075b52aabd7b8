// Takes steps, forks, prunes, copies and deletes threads at random until it is killed, and prints what was acknowledged. The test of
// histories runs several of it as processes on one storage.
import type { RunnableConfig } from "@langchain/core/runnables";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { hash } from "node:crypto";
import { CheckpointError } from "../../checkpoint-error.js";
import { VfsSaver } from "../../saver/vfs-saver.js";

export interface WorkerOptions {
  /** Path of a SQLite file, or the url of a database. */
  readonly target: string;
  readonly process: number;
  /** Milliseconds since the epoch at which the first history begins, and the length of each. */
  readonly start: number;
  readonly slice: number;
  readonly histories: number;
}

/** A fold as it stands in a checkpoint. */
export interface SealedPath {
  readonly path: string;
  readonly seal: string;
}

/** What a process prints: a checkpoint that is acknowledged, a copy that has ended, or an error that no history may have. */
export interface Told {
  readonly history: number;
  readonly thread: string;
  readonly id?: string;
  readonly error?: string;
}

const given = process.argv[2];
if (given !== undefined && process.argv[1]?.endsWith("history-worker.js") === true)
  await work(JSON.parse(given) as WorkerOptions);

async function work({ target, process: number, start, slice, histories }: WorkerOptions): Promise<void> {
  const saver = target.startsWith("postgres")
    ? await VfsSaver.fromPostgres(target, { connections: 2 })
    : VfsSaver.fromPath(target);
  const historyNow = (): number => Math.floor((Date.now() - start) / slice);
  while (Date.now() < start) await new Promise((resolve) => setTimeout(resolve, 5));
  for (let history = historyNow(); history < histories; history = historyNow()) {
    const names = { history, thread: `h${history}`, copy: `h${history}-copy-${number}` };
    try {
      await operation(saver, names);
    } catch (error) {
      // Another process may hold the file, or take away what this one works on.
      const isExpected =
        CheckpointError.isInstance(error) && ["busy", "conflict", "not-found"].includes(error.code);
      if (!isExpected) tell({ history, thread: names.thread, error: String(error) });
    }
  }
  await saver.close();
}

interface Names {
  readonly history: number;
  readonly thread: string;
  /** A thread of this process alone. */
  readonly copy: string;
}

async function operation(saver: VfsSaver, names: Names): Promise<void> {
  const { history, thread, copy } = names;
  const chance = Math.random();
  if (chance < 0.55) return step(saver, { history, thread });
  if (chance < 0.7) return step(saver, { history, thread, isFork: true });
  // Histories without a prune keep every checkpoint.
  if (chance < 0.8) return history % 3 === 0 ? void (await saver.prune(thread, { keepLast: 2 })) : undefined;
  if (chance < 0.9) {
    await saver.copyThread(thread, copy);
    tell({ history, thread: copy });
    return step(saver, { history, thread: copy });
  }
  return saver.deleteThread(copy);
}

interface Step {
  readonly history: number;
  readonly thread: string;
  readonly isFork?: boolean;
}

/** Archives an original, seals its fold, and puts a checkpoint, in the order of a node and its saver. */
async function step(saver: VfsSaver, { history, thread, isFork = false }: Step): Promise<void> {
  const configurable = { thread_id: thread, checkpoint_ns: "" };
  const places: string[] = [];
  if (isFork) for await (const { id } of saver.checkpoints(thread)) places.push(id);
  const fork = places[Math.floor(Math.random() * places.length)];
  const at = fork === undefined ? {} : { checkpoint_id: fork };
  const tuple = await saver.getTuple({ configurable: { ...configurable, ...at } });
  const folds = (tuple?.checkpoint.channel_values["folds"] ?? []) as readonly SealedPath[];
  const version = saver.getNextVersion(tuple?.checkpoint.channel_versions["folds"] as number | undefined);
  const content = `h${history} ${crypto.randomUUID()} `.repeat(12);
  const path = `/context/history/${folds.length}-${hash("sha256", content).slice(0, 16)}.jsonl`;
  const sign = await saver.files.seal(thread).signer();
  const fold = { path, seal: sign("fold", path) };
  await saver.files.archive(thread).append(path, content);
  const config: RunnableConfig = { configurable: { ...configurable, ...idOf(tuple?.checkpoint.id) } };
  const checkpoint = {
    v: 4,
    id: uuid6(folds.length),
    ts: new Date().toISOString(),
    channel_values: { folds: [...folds, fold], note: content },
    channel_versions: { folds: version, note: version },
    versions_seen: {},
  };
  const metadata = { source: "loop", step: folds.length, parents: {} } as const;
  await saver.put(config, checkpoint, metadata, checkpoint.channel_versions);
  tell({ history, thread, id: checkpoint.id });
}

function idOf(id: string | undefined): { readonly checkpoint_id?: string } {
  return id === undefined ? {} : { checkpoint_id: id };
}

function tell(told: Told): void {
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
