import { pack } from "../codec/packing/pack.js";
import { Encoder } from "../codec/encoder.js";
import type { Collected, ToText } from "../codec/encoder.js";
import type { Node } from "../codec/node.js";
import { CheckpointError } from "../checkpoint-error.js";
import type { Batch, EncodedCheckpoint, Engine } from "../engines/engine.js";

const recentCheckpoints = 16;
const maxAttempts = 12;
const longestPause = 200;

/** What of a commit depends on the encoder. `trusted` says that what was stored earlier is known to be there still. */
export type Encode = (encoder: Encoder, trusted: boolean) => Omit<Batch, "threadId" | "epoch" | "blobs">;

export interface ThreadSessionOptions {
  readonly engine: Engine;
  readonly toText: ToText;
  readonly compress: boolean;
  /** Says, before a commit, that the thread refers to these contents of workspace files. */
  readonly hold: (threadId: string, digests: ReadonlySet<string>) => Promise<void>;
}

/**
 * What this process knows of one thread: which blobs are stored, and the latest checkpoints as they were encoded. When the
 * engine says that blobs were collected since, or a commit fails, all of that is forgotten and everything is handed in anew.
 */
export class ThreadSession {
  readonly threadId: string;
  readonly #options: ThreadSessionOptions;
  #encoder: Encoder;
  #epoch: string | undefined;
  readonly #recent = new Map<string, EncodedCheckpoint>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(threadId: string, options: ThreadSessionOptions) {
    this.threadId = threadId;
    this.#options = options;
    this.#encoder = new Encoder(options.toText);
  }

  get encoder(): Encoder {
    return this.#encoder;
  }

  /** Stores what `encode` gives, after everything that was handed in before. Encodes at once, so later changes are not seen. */
  async commit(encode: Encode): Promise<void> {
    const encoder = this.#encoder;
    const first = this.#collect(encode, encoder);
    const done = this.#queue.then(async () => this.#store(encode, { ...first, encoder }));
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** Takes note of the epoch that something was read in. */
  sawEpoch(epoch: string | undefined): void {
    if (epoch === this.#epoch) return;
    if (this.#epoch !== undefined) this.forget();
    this.#epoch = epoch;
  }

  forget(): void {
    this.#encoder = new Encoder(this.#options.toText);
    this.#epoch = undefined;
    this.#recent.clear();
  }

  remember(namespace: string, checkpoint: EncodedCheckpoint): void {
    const key = JSON.stringify([namespace, checkpoint.id]);
    this.#recent.delete(key);
    this.#recent.set(key, checkpoint);
    const oldest = this.#recent.keys().next().value;
    if (this.#recent.size > recentCheckpoints && oldest !== undefined) this.#recent.delete(oldest);
  }

  /** The checkpoints that were put or read lately. */
  recent(namespace: string, id: string): EncodedCheckpoint | undefined {
    return this.#recent.get(JSON.stringify([namespace, id]));
  }

  /** Returns a channel's node from a recent checkpoint of the namespace where it has this version. */
  recentValue(namespace: string, channel: string, version: unknown): Node | undefined {
    for (const [key, checkpoint] of this.#recent) {
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

  #collect(encode: Encode, encoder: Encoder): Collected<ReturnType<Encode>> {
    try {
      return encoder.collect(() => encode(encoder, true));
    } catch (error) {
      // What a value that cannot be encoded came with was handed out, and goes nowhere.
      this.forget();
      throw error;
    }
  }

  async #store(
    encode: Encode,
    first: Collected<ReturnType<Encode>> & { readonly encoder: Encoder },
  ): Promise<void> {
    let collected: Collected<ReturnType<Encode>> = first;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      if (attempt > 0) await pause(attempt);
      if (attempt > 0 || first.encoder !== this.#encoder) {
        // An encoder of its own leaves nothing out. The session's may have handed out what is still waiting behind this.
        const fresh = new Encoder(this.#options.toText);
        collected = fresh.collect(() => encode(fresh, false));
      }
      const { stored, epoch } = await this.#try(collected);
      if (stored) {
        this.#epoch = epoch;
        return;
      }
      this.forget();
    }
    throw new CheckpointError(
      "conflict",
      `The thread ${this.threadId} is being collected without pause. Try again.`,
    );
  }

  async #try({ result, blobs, files }: Collected<ReturnType<Encode>>): ReturnType<Engine["commit"]> {
    const { engine, hold } = this.#options;
    const { threadId } = this;
    try {
      if (files.size > 0) await hold(threadId, files);
      return await engine.commit({ ...result, blobs: this.#pack(blobs), threadId, epoch: this.#epoch });
    } catch (error) {
      this.forget();
      throw error;
    }
  }

  #pack(blobs: Collected<unknown>["blobs"]): Map<string, Uint8Array> {
    const { compress } = this.#options;
    return new Map([...blobs].map(([digest, bytes]) => [digest, pack(bytes, { compress })]));
  }
}

/** Collectors and writers that started together get out of step: a random time, on the average longer with each attempt. */
async function pause(attempt: number): Promise<void> {
  const longest = Math.min(longestPause, 2 ** attempt);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
