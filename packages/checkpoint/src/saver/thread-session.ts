import type { ContentKey, KeyRing } from "@palimpsest/vfs/internal";
import { LRUCache } from "lru-cache";
import { CheckpointError } from "../checkpoint-error.js";
import { Encoder } from "../codec/encoder.js";
import type { Collected, ToText } from "../codec/encoder.js";
import { encryptBlob, packBlob } from "../codec/encryption/encrypt-blob.js";
import type { Node } from "../codec/node.js";

import { keyInThread } from "../engine.js";
import type { Batch, EncodedCheckpoint, Engine } from "../engine.js";
import { encryptionError, withCheckpointErrors } from "../engines/encrypted/encrypted-engine.js";
import { keyIdsOf } from "../engines/encrypted/encrypt-tuple.js";
import { requireClear } from "../engines/encrypted/require-clear.js";
import { namingThread } from "./name-thread.js";
import type { TupleReader } from "./tuple-reader.js";

const maxRecentCheckpoints = 16;
const maxAttempts = 12;
const maxPauseMs = 200;

/**
 * Encodes the part of a commit that depends on the encoder. `trusted` is false when blobs stored earlier may be gone: then
 * the encoder must not reuse nodes of earlier checkpoints.
 */
export type Encode = (encoder: Encoder, trusted: boolean) => Omit<Batch, "threadId" | "epoch" | "blobs">;

export interface ThreadSessionOptions {
  readonly engine: Engine;
  readonly toText: ToText;
  readonly compress: boolean;
  /** Keys for encryption. @default values are not encrypted */
  readonly ring?: KeyRing | undefined;
  /** Reads the newest state of a thread before a commit in clear, unless it was read before. */
  readonly reader: Pick<TupleReader, "read">;
  /** Records, before a commit, that the thread references these contents of workspace files. */
  readonly referenceFiles: (threadId: string, digests: ReadonlySet<string>) => Promise<void>;
}

type Encoded = Collected<ReturnType<Encode>>;

interface Parent {
  /** Null if the checkpoint was deleted. */
  readonly parent: EncodedCheckpoint | null | undefined;
  /** The encoder of the session at that moment. The blobs of the parent are stored as long as the session keeps this encoder. */
  readonly encoder: Encoder;
}

/**
 * What this process knows about one thread: which blobs are stored, and the latest checkpoints in their encoded form. If the
 * engine reports that blobs were collected meanwhile, or a commit fails, the session forgets everything, and the next commit
 * sends every blob again.
 */
export class ThreadSession {
  readonly threadId: string;
  readonly #options: ThreadSessionOptions;
  #encoder: Encoder;
  #key: ContentKey | undefined;
  #epoch: string | undefined;
  /** Whether the newest state of the thread could be read, or written, without a key that this process lacks. */
  #isReadable = false;
  readonly #recent = new LRUCache<string, EncodedCheckpoint>({
    max: maxRecentCheckpoints,
    maxSize: Number.MAX_SAFE_INTEGER,
    sizeCalculation: (checkpoint) => JSON.stringify(checkpoint).length,
  });
  #queue: Promise<unknown> = Promise.resolve();

  constructor(threadId: string, options: ThreadSessionOptions) {
    this.threadId = threadId;
    this.#options = options;
    this.#encoder = this.#newEncoder();
  }

  /** Loads the key to encrypt with. Returns nothing when there is nothing to wait for. */
  #ready(): Promise<void> | undefined {
    const { ring } = this.#options;
    if (!ring) return undefined;
    try {
      const known = ring.known(ring.idOf(this.threadId));
      if (!known) return this.#loadKey(ring);
      this.#key = known;
      return undefined;
    } catch (error) {
      throw encryptionError(error);
    }
  }

  async #loadKey(ring: KeyRing): Promise<void> {
    this.#key = await withCheckpointErrors(async () => ring.keyOf(this.threadId));
  }

  /** Returns an encoder that knows of no stored blob, for another writer of the thread. */
  async freshEncoder(): Promise<Encoder> {
    await this.#ready();
    return this.#newEncoder();
  }

  #newEncoder(): Encoder {
    const { toText, ring, compress } = this.#options;
    if (!ring) return new Encoder(toText);
    return new Encoder(toText, (kind, bytes) => {
      if (!this.#key) throw new TypeError("The key of the thread was not loaded before.");
      return encryptBlob(kind, bytes, { key: this.#key, compress });
    });
  }

  get encoder(): Encoder {
    return this.#encoder;
  }

  /**
   * Stores what `encode` returns, after every earlier commit of this session. Encodes before it returns, so a value that
   * the caller changes later is stored as it was; where a key has to be loaded, it encodes once that is there. `since` is the
   * encoder of the moment at which the caller learned of earlier nodes: when the session has another by now, their blobs may
   * be gone.
   */
  async commit(encode: Encode, since = this.#encoder): Promise<void> {
    const loading = this.#ready();
    if (loading) await loading;
    const encoder = this.#encoder;
    const first = this.#encode(encode, encoder === since);
    const done = this.#queue.then(async () => this.#store(encode, { ...first, encoder }));
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** Records the epoch of a read. Another epoch than the known one means that blobs were collected. */
  sawEpoch(epoch: string | undefined): void {
    if (epoch === this.#epoch) return;
    if (this.#epoch !== undefined) this.forget();
    this.#epoch = epoch;
  }

  forget(): void {
    this.#encoder = this.#newEncoder();
    this.#epoch = undefined;
    this.#recent.clear();
  }

  /** Runs a read of the newest state, and notes whether it could be read. */
  async readNewest<T>(read: () => Promise<T>): Promise<T> {
    this.#isReadable = false;
    const value = await read();
    this.#isReadable = true;
    return value;
  }

  remember(namespace: string, checkpoint: EncodedCheckpoint): void {
    this.#recent.set(keyInThread({ namespace, id: checkpoint.id }), checkpoint);
  }

  /** Characters of the recent checkpoints as JSON. */
  get recentSize(): number {
    return this.#recent.calculatedSize;
  }

  /** Forgets the recent checkpoints: the next step reads its parent from the engine. */
  forgetRecent(): void {
    this.#recent.clear();
  }

  /** Returns the checkpoint that a new one follows, if any, from memory when it was put or read recently. */
  async parent(namespace: string, id: string | undefined): Promise<Parent> {
    const known = id === undefined ? undefined : this.#recent.get(keyInThread({ namespace, id }));
    if (id === undefined || known) return { parent: known, encoder: this.#encoder };
    const { threadId } = this;
    const read = async () => this.#options.engine.read({ threadId, namespace, id });
    const { tuple, epoch } = await namingThread(threadId, read);
    this.sawEpoch(epoch);
    // Another process may have begun to encrypt the thread.
    if (tuple && keyIdsOf(tuple).size > 0) this.#isReadable = false;
    return { parent: tuple?.checkpoint ?? null, encoder: this.#encoder };
  }

  /** Returns a channel's node from a recent checkpoint of the namespace in which the channel has this version. */
  recentValue(namespace: string, channel: string, version: unknown): Node | undefined {
    for (const [key, checkpoint] of this.#recent.entries()) {
      if (!key.startsWith(`[${JSON.stringify(namespace)},`)) continue;
      if (
        checkpoint.channel_versions[channel] === version &&
        Object.hasOwn(checkpoint.channel_values, channel)
      ) {
        return checkpoint.channel_values[channel];
      }
    }
    return undefined;
  }

  #encode(encode: Encode, trusted: boolean): Encoded {
    const encoder = this.#encoder;
    try {
      return encoder.collect(() => encode(encoder, trusted));
    } catch (error) {
      // The encoder believes that the blobs of the failed value are stored. They are not.
      this.forget();
      throw error;
    }
  }

  async #store(encode: Encode, first: Encoded & { readonly encoder: Encoder }): Promise<void> {
    let encoded: Encoded = first;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (attempt > 0) await pause(attempt);
      if (attempt > 0 || first.encoder !== this.#encoder) {
        // A fresh encoder sends every blob again. The session's own may have given blobs to a commit that is still queued.
        const fresh = this.#newEncoder();
        encoded = fresh.collect(() => encode(fresh, false));
      }
      const { stored, epoch } = await this.#commit(encoded);
      // A read that ended meanwhile may have seen another epoch: what it has told the encoder may be gone.
      if (stored) return this.sawEpoch(epoch);
      this.forget();
    }
    throw new CheckpointError(
      "conflict",
      `Every attempt to write the thread ${this.threadId} met another collection of it. Try again when prune is done.`,
    );
  }

  async #commit({ result, blobs, files }: Encoded): ReturnType<Engine["commit"]> {
    const { engine, reader, referenceFiles, compress, ring } = this.#options;
    const { threadId } = this;
    try {
      if (!ring && !this.#isReadable) await requireClear({ engine, reader }, threadId);
      this.#isReadable = true;
      if (files.size > 0) await referenceFiles(threadId, files);
      const packed = new Map([...blobs].map(([digest, bytes]) => [digest, packBlob(bytes, { compress })]));
      return await engine.commit({ ...result, blobs: packed, threadId, epoch: this.#epoch });
    } catch (error) {
      this.forget();
      throw error;
    }
  }
}

/** Waits for a random time, longer on average with each attempt, so that a writer and a collector get out of step. */
async function pause(attempt: number): Promise<void> {
  const longest = Math.min(maxPauseMs, 2 ** attempt);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
