import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { createHash } from "node:crypto";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { FileError, mergeFiles } from "@palimpsest/vfs";
import type { Files } from "@palimpsest/vfs";
import { CheckpointError } from "../checkpoint-error.js";
import type { VfsSaver } from "../saver/vfs-saver.js";
import type { FlipTarget } from "./flip-targets.js";
import { contentOf, noteAt, notes } from "./written-content.js";

const threads = ["one", "two"];
const spaces = ["", "inner:1"];
/** An archive entry of more than one chunk. */
const longText = "a long line of a long file\n".repeat(15_000);

const idOf = (space: string, step: number): string =>
  uuid6(step)
    .replace(/^.{18}/, `1f0a0000-0000-6${String(100 + step)}`)
    .replace(/.{12}$/, space === "" ? "000000000001" : "000000000002");

/** The name of a record ends in the digest of its content. */
const archivePath = (threadId: string, step: number): string => {
  const digest = createHash("sha256").update(archived(threadId, step)).digest("hex").slice(0, 16);
  return `/context/history/${step}-${digest}.jsonl`;
};
const archived = (threadId: string, step: number): string =>
  step === 0 ? longText : contentOf(threadId, step);

/** Writes threads with a subgraph, pending writes, an archive and a workspace. */
export async function writeThreads(saver: VfsSaver, steps = 24): Promise<void> {
  for (const threadId of threads) {
    for (const namespace of spaces) await writeSpace(saver, { threadId, namespace, steps });
  }
}

async function writeSpace(
  saver: VfsSaver,
  {
    threadId,
    namespace,
    steps,
  }: { readonly threadId: string; readonly namespace: string; readonly steps: number },
): Promise<void> {
  let config: RunnableConfig = { configurable: { thread_id: threadId, checkpoint_ns: namespace } };
  let files: Files = {};
  let messages: BaseMessage[] = [];
  for (let step = 0; step < steps; step++) {
    const { archive, workspace } = saver.files.thread(threadId, files);
    await archive.append(archivePath(threadId, step), archived(threadId, step));
    await workspace.write(noteAt(step), contentOf(threadId, step));
    files = mergeFiles(files, workspace.changes);
    messages = [
      ...messages,
      new (step % 2 ? AIMessage : HumanMessage)({ content: contentOf(threadId, step), id: `m${step}` }),
    ];
    const version = step + 1.5;
    const checkpoint = {
      v: 4,
      id: idOf(namespace, step),
      ts: new Date(step).toISOString(),
      channel_values: { messages, files, step, flag: step % 3 === 0 },
      channel_versions: { messages: version, files: version, step: version, flag: version },
      versions_seen: { agent: { messages: step } },
    };
    config = await saver.put(
      config,
      checkpoint,
      { source: "loop", step, parents: {} },
      checkpoint.channel_versions,
    );
    for (const task of ["a", "b"].slice(0, step % 3)) {
      await saver.putWrites(
        config,
        [
          ["messages", [messages.at(-1)]],
          ["step", step],
        ],
        `${task}-${step}`,
        `path-${task}`,
      );
    }
  }
}

/** What was read of each part, or the error that the part failed with. */
export type Parts = ReadonlyMap<string, string | Error>;

/** Reads everything that `writeThreads` wrote. */
export async function readThreads(saver: VfsSaver, steps = 24): Promise<Parts> {
  const parts = new Map<string, string | Error>();
  const add = async (name: string, read: () => Promise<unknown>): Promise<void> => {
    parts.set(name, await read().then((value) => JSON.stringify(value) ?? "undefined", asError));
  };
  for (const threadId of threads) {
    const { archive } = saver.files.thread(threadId);
    for (const namespace of spaces) {
      const at = (id?: string): RunnableConfig => ({
        configurable: {
          thread_id: threadId,
          checkpoint_ns: namespace,
          ...(id === undefined ? {} : { checkpoint_id: id }),
        },
      });
      await add(`${threadId} ${namespace} newest`, async () => saver.getTuple(at()));
      for (const step of [0, 7, steps - 2])
        await add(`${threadId} ${namespace} ${step}`, async () => saver.getTuple(at(idOf(namespace, step))));
    }
    await add(`${threadId} list`, async () => listAll(saver, threadId));
    for (let step = 0; step < steps; step++)
      await add(`${threadId} archive ${step}`, async () => archive.readText(archivePath(threadId, step)));
    await add(`${threadId} files`, async () => {
      const files = (await saver.getTuple({ configurable: { thread_id: threadId } }))?.checkpoint
        .channel_values["files"];
      const { workspace } = saver.files.thread(threadId, files as Files);
      return Promise.all(
        Array.from({ length: notes }, async (_, note) => contentIn(workspace, noteAt(note))),
      );
    });
  }
  return parts;
}

async function listAll(saver: VfsSaver, threadId: string): Promise<unknown[]> {
  const tuples: unknown[] = [];
  for await (const tuple of saver.list({ configurable: { thread_id: threadId } })) tuples.push(tuple);
  return tuples;
}

async function contentIn(
  workspace: ReturnType<VfsSaver["files"]["thread"]>["workspace"],
  path: string,
): Promise<unknown> {
  const { data, error } = await workspace.readRaw(path);
  if (data) return data.content;
  throw new FileError("corrupt", String(error));
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** How a read of a damaged copy differs from the intact one. */
export interface Damage {
  /** Parts that came back with another content. */
  readonly silent: readonly string[];
  /** Parts that failed with an error that does not say what is damaged. */
  readonly unclear: readonly string[];
  /** Parts that failed with a clear error. */
  readonly reported: readonly string[];
}

/** Compares what was read of a damaged copy with the intact parts. Pure. */
export function compareParts(intact: Parts, read: Parts): Damage {
  const found = { silent: [] as string[], unclear: [] as string[], reported: [] as string[] };
  for (const [name, expected] of intact) {
    const value = read.get(name);
    if (value === expected) continue;
    if (!(value instanceof Error)) found.silent.push(name);
    else if (isClear(value, name)) found.reported.push(name);
    else found.unclear.push(`${name}: ${String(value)}`);
  }
  return found;
}

export interface FlippedReads {
  /** Parts that came back with another content, or failed without a clear error, and the bit. */
  readonly silent: readonly string[];
  readonly unclear: readonly string[];
  /** How many flips led to a clear error, and how many changed nothing that is read. */
  readonly reported: number;
  readonly intact: number;
}

/** Writes threads, and reads them from copies that each have another flipped bit. */
export async function flippedReads(
  target: FlipTarget,
  { flips, seed }: { readonly flips: number; readonly seed: number },
): Promise<FlippedReads> {
  const writer = target.create();
  await writeThreads(writer, target.steps);
  await writer.close();
  await target.finish();
  const expected = await readAndClose(target.open(), target.steps);
  const found = { silent: [] as string[], unclear: [] as string[], reported: 0, intact: 0 };
  for (let flip = 0, random = seed; flip < flips; flip++) {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    const bit = Math.floor((random / 2 ** 32) * target.bits());
    const { silent, unclear, reported } = await damageOf(target, bit, expected);
    found.silent.push(...silent.map((part) => `bit ${bit}: ${part}`));
    found.unclear.push(...unclear.map((part) => `bit ${bit}: ${part}`));
    if (reported.length > 0) found.reported += 1;
    else if (silent.length + unclear.length === 0) found.intact += 1;
  }
  return found;
}

/** A file that cannot be opened fails as a whole, with its path. */
async function damageOf(target: FlipTarget, bit: number, expected: Parts): Promise<Damage> {
  let saver: VfsSaver;
  try {
    saver = target.open(bit);
  } catch (error) {
    const isClear = CheckpointError.isInstance(error) && error.message.includes("copy.db");
    return { silent: [], unclear: isClear ? [] : [String(error)], reported: isClear ? ["file"] : [] };
  }
  return compareParts(expected, await readAndClose(saver, target.steps));
}

async function readAndClose(saver: VfsSaver, steps: number): Promise<Parts> {
  return readThreads(saver, steps).finally(async () => saver.close());
}

/** The error names the thread, or the file in the archive or the workspace. */
function isClear(error: Error, name: string): boolean {
  const [threadId = "", kind] = name.split(" ");
  if (!CheckpointError.isInstance(error) && !FileError.isInstance(error)) return false;
  return error.message.includes(JSON.stringify(threadId)) || kind === "archive" || kind === "files";
}
