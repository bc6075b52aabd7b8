import type { BaseMessage } from "@langchain/core/messages";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import type { VfsSaver } from "@palimpsest/checkpoint";
import type { Rewrite } from "@palimpsest/context";
import { sealFolds } from "@palimpsest/langgraph/threads";
import {
  SessionThread,
  type CompactedParts,
  type RecordedClearing,
  type RecordedCompaction,
  type SessionEvent,
} from "@palimpsest/sessions";
import { recordedMask, recordedSummary } from "./recorded-fold.js";

/** What the import of a session keeps in the state of its thread, in the channel `session`. */
export interface ImportedSession {
  readonly format: string;
  readonly file: string;
  /** Bytes that were read, and the SHA-256 of them. */
  readonly bytes: number;
  readonly digest: string;
  /** The files of the archive that hold these bytes, in order. */
  readonly parts: readonly string[];
  /** The file that holds the last bytes of a session that was still being written. */
  readonly tail?: string | undefined;
  /** Steps that later records cannot change. */
  readonly settled: number;
  readonly records: number;
  readonly [fact: string]: unknown;
}

/** Writes the conversation of a session as checkpoints of a thread: one for each step, and one for each compaction. */
export class ThreadWriter {
  readonly threadId: string;
  readonly #saver: VfsSaver;
  readonly #thread: SessionThread;
  readonly #empty = emptyCheckpoint();
  #rewrites: Rewrite[] = [];
  #isPending = false;
  #hasAnswer = false;
  #time: string | undefined;
  #steps = 0;
  #parent: string | undefined;
  #number = -1;
  #versions: Record<string, number> = {};
  readonly #known: number;
  /** Checkpoints by the id of their last message: a rewind continues from one of them. */
  readonly #ends = new Map<string, string>();
  folds = 0;
  written = 0;

  constructor(saver: VfsSaver, threadId: string, from?: ImportedThread) {
    this.threadId = threadId;
    this.#saver = saver;
    this.#known = from?.session.settled ?? 0;
    this.#parent = from?.checkpoint;
    this.#number = from?.step ?? -1;
    this.#versions = { ...from?.versions };
    this.#thread = new SessionThread({
      standIn: (compaction, parts) => this.#standIn(compaction, parts),
      cleared: (result, clearing) => this.#cleared(result, clearing),
    });
  }

  get steps(): number {
    return this.#steps;
  }

  get messages(): number {
    return this.#thread.happened.length;
  }

  /** Applies an event. A step is written when the next one begins. */
  async add(event: SessionEvent, session: () => ImportedSession): Promise<void> {
    if (event.kind === "message" && this.#beginsStep(event.message)) await this.#settle(session);
    if (event.kind === "compaction" || event.kind === "rewind" || event.kind === "clearing")
      await this.#settle(session);
    const change = this.#thread.apply(event);
    if (change === undefined) return;
    if (change.kind === "rewind") this.#parent = this.#ends.get(change.to ?? "") ?? this.#parent;
    this.#isPending = true;
    if (change.kind === "message") {
      this.#hasAnswer = change.message.getType() !== "human";
      const time: unknown = change.message.response_metadata?.["timestamp"];
      if (typeof time === "string" && !Number.isNaN(Date.parse(time)))
        this.#time = new Date(time).toISOString();
    }
    if (change.kind === "compaction" || change.kind === "clearing") await this.#settle(session);
  }

  /** Writes what the last records have said, although the next ones may still change it. */
  async finish(session: ImportedSession, isAlways: boolean): Promise<void> {
    if (!this.#isPending && !isAlways) return;
    await this.#put({ ...session, settled: this.#steps });
  }

  #beginsStep(message: BaseMessage): boolean {
    const type = message.getType();
    if (this.#thread.context.at(-1) === undefined) return false;
    if (type === "ai") return !this.#thread.has(message.id);
    return type === "human" && this.#hasAnswer;
  }

  async #settle(session: () => ImportedSession): Promise<void> {
    if (!this.#isPending) return;
    this.#isPending = false;
    this.#hasAnswer = false;
    this.#steps += 1;
    if (this.#steps > this.#known) await this.#put({ ...session(), settled: this.#steps });
    else await this.#seal();
  }

  /** Archives the originals of new folds, then seals the folds: only then they count as genuine. */
  async #seal(): Promise<void> {
    const rewrites = this.#rewrites;
    if (rewrites.length === 0) return;
    this.#rewrites = [];
    const messages = rewrites.flatMap((rewrite) => rewrite.messages);
    const sealed = await sealFolds({ messages, folds: [] }, this.#saver.files.seal(this.threadId));
    const writes = new Map(rewrites.flatMap((rewrite) => rewrite.writes).map((write) => [write.path, write]));
    await this.#saver.files.archive(this.threadId).appendAll([...writes.values()]);
    this.#thread.settle(sealed.messages);
  }

  async #put(session: ImportedSession): Promise<void> {
    await this.#seal();
    const messages = [...this.#thread.context];
    this.#number += 1;
    this.#versions = { messages: this.#number + 1, session: this.#number + 1 };
    const checkpoint = {
      ...this.#empty,
      id: uuid6(this.#number),
      ts: this.#time ?? new Date().toISOString(),
      channel_values: { messages, session },
      channel_versions: { ...this.#versions },
    };
    const configurable = {
      thread_id: this.threadId,
      checkpoint_ns: "",
      ...(this.#parent === undefined ? {} : { checkpoint_id: this.#parent }),
    };
    const isPrompt = messages.at(-1)?.getType() === "human";
    const metadata = {
      source: isPrompt ? ("input" as const) : ("loop" as const),
      step: this.#number,
      parents: {},
    };
    await this.#saver.put({ configurable }, checkpoint, metadata, this.#versions);
    this.#parent = checkpoint.id;
    this.#ends.set(messages.at(-1)?.id ?? "", checkpoint.id);
    this.written += 1;
  }

  #standIn(compaction: RecordedCompaction, parts: CompactedParts): BaseMessage {
    const rewrite = recordedSummary(compaction, parts);
    const [fold] = rewrite.folds;
    const standIn = rewrite.messages.find(({ id }) => id === fold?.id) as BaseMessage;
    this.folds += 1;
    this.#rewrites.push({ ...rewrite, messages: [standIn] });
    return standIn;
  }

  #cleared(result: BaseMessage, clearing: RecordedClearing): BaseMessage {
    const rewrite = recordedMask(result, clearing);
    if (rewrite === undefined) return result;
    this.folds += 1;
    this.#rewrites.push(rewrite);
    return rewrite.messages[0] ?? result;
  }
}

/** A thread of an earlier import. */
export interface ImportedThread {
  readonly session: ImportedSession;
  readonly checkpoint: string;
  readonly step: number;
  readonly versions: Readonly<Record<string, number>>;
}

/** Returns what an earlier import has left; undefined for a new thread. */
export async function importedThread(saver: VfsSaver, threadId: string): Promise<ImportedThread | undefined> {
  const tuple = await saver.getTuple({ configurable: { thread_id: threadId } });
  if (tuple === undefined) return undefined;
  const { checkpoint, metadata } = tuple;
  const session = checkpoint.channel_values["session"] as ImportedSession | undefined;
  if (session === undefined) return undefined;
  return {
    session,
    checkpoint: checkpoint.id,
    step: metadata?.step ?? 0,
    versions: checkpoint.channel_versions as Record<string, number>,
  };
}

/** Returns what the newest import of a thread says of its file. A graph that went on with the thread has no such channel. */
export async function importedSession(
  saver: VfsSaver,
  threadId: string,
): Promise<ImportedSession | undefined> {
  for await (const { checkpoint } of saver.list({ configurable: { thread_id: threadId } })) {
    const session = checkpoint.channel_values["session"] as ImportedSession | undefined;
    if (session !== undefined)
      return session.parts.length > 0 || session.tail !== undefined ? session : undefined;
  }
  return undefined;
}
