import type { BaseMessage } from "@langchain/core/messages";
import type * as context from "@palimpsest/context/internal";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { archivePrefix, threadDirectory, type Signer } from "@palimpsest/vfs/internal";
import type { Encoder } from "../../codec/encoder.js";
import type { FileReferences } from "../../collection/file-references.js";
import { filesInCheckpoints, tuplesOf } from "../../collection/reach.js";
import { keyInThread } from "../../engine.js";
import type { Engine, Rewrite, StoredTuple } from "../../engine.js";
import type { TupleReader } from "../tuple-reader.js";
import type { ErasedThread } from "./erase-options.js";
import { gather } from "./gather.js";
import { RedactedContents, type Verifier } from "./redact-contents.js";
import { RedactedFiles, type RedactedFile } from "./redact-files.js";
import { ValueRedaction, type ValueRules } from "./redact-value.js";
import type { Redaction, Tally } from "./redaction.js";
import { rewriteThread, type ReadTuple } from "./rewrite-thread.js";

/** The parts of a saver that an erasure uses. */
export interface ErasableStorage {
  readonly engine: Engine;
  readonly files: VirtualFilesystem;
  /** Without a grace. */
  readonly references: FileReferences;
  readonly reader: TupleReader;
  /** Returns an encoder that knows of no stored blob. */
  readonly newEncoder: (threadId: string) => Promise<Encoder>;
  readonly compress: boolean;
  /** Forgets what this process knows of the stored blobs of a thread. */
  readonly forget: (threadId: string) => void;
}

/** The part of `@palimpsest/context` that knows messages. It is loaded only for an erasure. */
type Messages = typeof context;

export interface ErasureOptions {
  readonly dryRun: boolean;
  readonly dropEarly: boolean;
}

/** The work on one thread. */
export class ThreadErasure {
  readonly #storage: ErasableStorage;
  readonly #threadId: string;
  readonly #messages: Messages;
  readonly #sign: Signer;
  readonly #isGenuine: Verifier;
  readonly #tally: Tally = { texts: 0, bytes: 0 };
  #redaction: Redaction;

  private constructor(
    storage: ErasableStorage,
    threadId: string,
    parts: Pick<Keys, "sign" | "isGenuine"> & { readonly messages: Messages; readonly redaction: Redaction },
  ) {
    this.#storage = storage;
    this.#threadId = threadId;
    this.#messages = parts.messages;
    this.#sign = parts.sign;
    this.#isGenuine = parts.isGenuine;
    this.#redaction = parts.redaction;
  }

  static async begin(
    storage: ErasableStorage,
    threadId: string,
    redaction: Redaction,
  ): Promise<ThreadErasure> {
    const messages = await import("@palimpsest/context/internal");
    const keys = await keysOf(storage.files, threadId);
    return new ThreadErasure(storage, threadId, { ...keys, messages, redaction });
  }

  /**
   * Erases what matches. With `dryRun` counts it, and writes nothing. With `dropEarly`, also deletes the writes whose checkpoint was
   * never stored: no run goes on from them.
   */
  async run({ dryRun, dropEarly }: ErasureOptions): Promise<ErasedThread> {
    const { engine, files, references, forget } = this.#storage;
    const threadId = this.#threadId;
    const stored = (await tuplesOf(engine, threadId)).toReversed();
    const found = await gather(this.#read(stored));
    const archive = await RedactedFiles.plan({
      driver: files.threadDriver(threadId),
      root: this.#root,
      held: found.held,
      redaction: this.#redaction,
      tally: this.#tally,
      record: (text, redaction) => this.#messages.redactRecord(text, this.#rulesFor(redaction).messages),
    });
    this.#redaction = this.#redaction.with({ renamed: archive.renamed });
    const contents = await RedactedContents.plan(found.files, {
      blobs: files.blobs.of(threadId),
      redaction: this.#counting,
      sign: this.#sign,
      isGenuine: this.#isGenuine,
    });
    if (!dryRun) {
      // What the new state names is stored first, and what the old one names is deleted last.
      await archive.store(async (file) => this.#storeFile(file));
      await references.add(threadId, await contents.store());
    }
    const rewrite = await this.#rewrite(stored, { held: archive.held, file: contents.entry });
    if (!dryRun) {
      if (dropEarly || isChange(rewrite)) await engine.rewrite(rewrite);
      forget(threadId);
      await archive.deleteOld();
      await this.#releaseContents(contents.digests);
    }
    return {
      threadId,
      deleted: false,
      missing: false,
      checkpoints: new Set([...rewrite.checkpoints, ...rewrite.writes].map(keyInThread)).size,
      archiveFiles: archive.count,
      workspaceFiles: contents.digests.length,
      ...this.#tally,
    };
  }

  get #counting(): Redaction {
    return this.#redaction.with({ tally: this.#tally });
  }

  get #root(): string {
    return threadDirectory(this.#threadId);
  }

  /** Yields the values of checkpoints: a long thread does not fit into memory at once. */
  async *#read(stored: readonly StoredTuple[]): AsyncGenerator<ReadTuple> {
    const byPlace = new Map(stored.map((tuple) => [keyInThread(tuple), tuple]));
    for await (const tuple of this.#storage.reader.readShared(asIterable(stored))) {
      const { checkpoint_ns: namespace = "", checkpoint_id: id } = tuple.config.configurable ?? {};
      const own = byPlace.get(keyInThread({ namespace: String(namespace), id: String(id) }));
      if (own !== undefined) yield { stored: own, tuple };
    }
  }

  async #rewrite(stored: readonly StoredTuple[], rules: Pick<ValueRules, "held" | "file">): Promise<Rewrite> {
    const { newEncoder, compress } = this.#storage;
    const encoder = await newEncoder(this.#threadId);
    const { value } = this.#rulesFor(this.#counting, rules).values;
    return rewriteThread(this.#threadId, this.#read(stored), { value, encoder, compress });
  }

  /** Returns the redaction of values, and that of the messages in them. */
  #rulesFor(
    redaction: Redaction,
    { held, file }: Pick<ValueRules, "held" | "file"> = { held: () => undefined, file: (entry) => entry },
  ) {
    const { redactMessage } = this.#messages;
    const values: ValueRedaction = new ValueRedaction(redaction, {
      held,
      file,
      message: (message: BaseMessage): BaseMessage => redactMessage(message, messages),
    });
    const messages = {
      value: values.value,
      tombstone: redaction.tombstone,
      sign: this.#sign,
      isGenuine: this.#isGenuine,
    };
    return { values, messages };
  }

  async #storeFile({ path, newPath, bytes }: RedactedFile): Promise<void> {
    const { files } = this.#storage;
    // An index that listens to the archive gets the new files.
    if (newPath !== path && newPath.startsWith(archivePrefix))
      await files.archive(this.#threadId).append(newPath, bytes);
    else await files.threadDriver(this.#threadId).write(this.#root + newPath, bytes);
  }

  async #releaseContents(digests: readonly string[]): Promise<void> {
    const { engine, references } = this.#storage;
    if (digests.length === 0) return;
    const used = await filesInCheckpoints(engine, this.#threadId);
    const unused = (await references.of(this.#threadId)).filter(
      ({ digest }) => digests.includes(digest) && !used.has(digest),
    );
    await references.release(this.#threadId, unused);
  }
}

interface Keys {
  readonly sign: Signer;
  readonly isGenuine: Verifier;
}

/** A thread without a key has no seals. */
async function keysOf(files: VirtualFilesystem, threadId: string): Promise<Keys> {
  const seal = files.seal(threadId);
  const isGenuine = await seal.verifier();
  for await (const _ of files.driver.list(threadDirectory(threadId)))
    return { isGenuine, sign: await seal.signer() };
  return { isGenuine: () => false, sign: () => "" };
}

function isChange({ checkpoints, writes }: Rewrite): boolean {
  return checkpoints.length > 0 || writes.length > 0;
}

async function* asIterable<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
