import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { digest } from "@palimpsest/context/internal";
import { unitVector } from "@palimpsest/context/selection";
import type { FileDriver, VirtualFilesystem } from "@palimpsest/vfs";
import { encodeScope, scopeDriver } from "@palimpsest/vfs/internal";
import type { Reporter } from "../../edge/reporter.js";
import { Backoff } from "../../edge/backoff.js";
import type { ResolvedPace } from "./pace-options.js";

export interface EncodeOptions {
  readonly files: VirtualFilesystem;
  readonly pace: ResolvedPace;
  readonly report: Reporter;
  readonly signal?: AbortSignal | undefined;
  /** False encodes the query alone. @default true */
  readonly encodesSteps?: boolean;
}

/** Stored vectors that are read at once. */
const concurrency = 16;

/**
 * The vectors of the steps of one thread, made once for each text by the encoder and stored beside the thread's archive.
 *
 * Texts are encoded in small batches; each batch is kept as soon as it is there, also when the step that asked for it no
 * longer waits. What is not encoded yet is encoded in the background, until the run is aborted, and by the next selection.
 */
export class StepVectors {
  readonly #vectors = new Map<number, Float32Array>();
  /** Texts without a vector, by step. */
  readonly #waiting = new Map<number, string>();
  readonly #queries = new Backoff();
  readonly #batches = new Backoff();
  #running: Promise<void> | undefined;
  #isLoaded = false;
  #cannotStore = false;

  /** Adds a step that needs a vector. */
  add(step: number, text: string): void {
    this.#waiting.set(step, text);
  }

  forget(step: number): void {
    this.#vectors.delete(step);
    this.#waiting.delete(step);
  }

  /** Returns the vector of a step, where it is there and of the size of the others. Never waits. */
  of(step: number, size: number): Float32Array | undefined {
    const vector = this.#vectors.get(step);
    return vector?.length === size ? vector : undefined;
  }

  /**
   * Returns the vector of a query; waits for it, and for the vectors of `past` steps, at most `encoderTimeoutMs`.
   *
   * Undefined when the encoder is down, slow, or returns something else than vectors. The first failure sends an event; the
   * encoder is asked again after a growing number of selections. Aborts pass through.
   */
  async encode(
    query: string,
    past: readonly number[],
    options: EncodeOptions,
  ): Promise<Float32Array | undefined> {
    const { pace, report, signal, encodesSteps = true } = options;
    if (pace.embeddings === undefined) return undefined;
    await this.#load(options);
    if (!this.#queries.isDue()) return undefined;
    const limit = timeLimit(pace.encoderTimeoutMs, signal);
    try {
      const [vector] = await limit.within(encodeTexts([query], pace.embeddings));
      this.#queries.succeed();
      if (encodesSteps) this.#encodeWaiting(options);
      const isMissing = past.some((step) => this.#waiting.has(step));
      if (isMissing && this.#running !== undefined) await limit.within(this.#running).catch(() => undefined);
      signal?.throwIfAborted();
      return vector;
    } catch (error) {
      if (signal?.aborted === true) throw error;
      if (this.#queries.fail()) report.fail("encoder", error, "words");
      return undefined;
    } finally {
      limit.end();
    }
  }

  #encodeWaiting(options: EncodeOptions): void {
    if (this.#running !== undefined || this.#waiting.size === 0 || !this.#batches.isDue()) return;
    this.#running = this.#work(options).finally(() => {
      this.#running = undefined;
    });
  }

  /** Never rejects. The first failure ends it. */
  async #work(options: EncodeOptions): Promise<void> {
    const { pace, report, signal } = options;
    const { embeddings, encoderBatch, encoderTimeoutMs } = pace;
    if (embeddings === undefined) return;
    const store = storeOf(options);
    while (this.#waiting.size > 0 && !isAborted(options)) {
      // The newest first: they are asked for soonest.
      const batch = [...this.#waiting].slice(-encoderBatch).toReversed();
      const limit = timeLimit(encoderTimeoutMs * batch.length, signal);
      try {
        const encoded = encodeTexts(
          batch.map(([, text]) => text),
          embeddings,
        );
        // Also where nobody waits any more: what is finished is kept.
        const kept = encoded.then((vectors) => this.#keep(batch, vectors, { store, report }));
        await limit.within(kept);
        this.#batches.succeed();
      } catch (error) {
        if (!isAborted(options) && this.#batches.fail()) report.fail("encoder", error, "words");
        return;
      } finally {
        limit.end();
      }
    }
  }

  async #keep(
    batch: readonly (readonly [number, string])[],
    vectors: readonly Float32Array[],
    { store, report }: { readonly store: FileDriver; readonly report: Reporter },
  ): Promise<void> {
    batch.forEach(([step, text], at) => {
      const vector = vectors[at];
      if (vector === undefined || this.#waiting.get(step) !== text) return;
      this.#vectors.set(step, vector);
      this.#waiting.delete(step);
    });
    try {
      await Promise.all(
        batch.map(([, text], at) => store.write(pathOf(text), bytesOf(vectors[at]), { ifAbsent: true })),
      );
    } catch (error) {
      // A vector is no original: without its file it is made again after a restart.
      if (!this.#cannotStore) report.fail("archive", error, "none");
      this.#cannotStore = true;
    }
  }

  /** Reads what another process, or this one before, has stored for the steps that wait. */
  async #load(options: EncodeOptions): Promise<void> {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    const store = storeOf(options);
    const steps = new Map<string, number[]>();
    for (const [step, text] of this.#waiting) {
      const path = pathOf(text);
      steps.set(path, [...(steps.get(path) ?? []), step]);
    }
    const stored: string[] = [];
    for await (const { path } of store.list("/")) if (steps.has(path)) stored.push(path);
    for (let at = 0; at < stored.length; at += concurrency) {
      const batch = stored.slice(at, at + concurrency);
      await Promise.all(
        batch.map(async (path) => {
          const bytes = await store.read(path);
          if (bytes === undefined || bytes.length === 0 || bytes.length % 4 !== 0) return;
          const vector = new Float32Array(bytes.slice().buffer);
          for (const step of steps.get(path) ?? []) {
            this.#vectors.set(step, vector);
            this.#waiting.delete(step);
          }
        }),
      );
    }
  }
}

/** Beside the archive and not in it: vectors are no text, and nothing for the agent to read. Deleted with the thread. */
function storeOf({ files, pace, report }: EncodeOptions): FileDriver {
  const { encoderId, encodedCharacters } = pace;
  const encoder = digest(JSON.stringify([encoderId, encodedCharacters])).slice(0, 16);
  return scopeDriver(files.driver, `/threads/${encodeScope(report.threadId)}/vectors/${encoder}`);
}

function isAborted({ signal }: EncodeOptions): boolean {
  return signal?.aborted === true;
}

function pathOf(text: string): string {
  return `/${digest(text)}.f32`;
}

function bytesOf(vector: Float32Array | undefined): Uint8Array {
  return vector === undefined
    ? new Uint8Array()
    : new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Returns the vectors at length 1. @throws Error where the encoder returns something else than one vector of the same size for each text. */
async function encodeTexts(
  texts: readonly string[],
  embeddings: EmbeddingsInterface,
): Promise<readonly Float32Array[]> {
  const vectors = await embeddings.embedDocuments([...texts]);
  const size = vectors[0]?.length ?? 0;
  const isWrong = vectors.some((vector) => vector.length !== size || !vector.every(Number.isFinite));
  if (vectors.length === texts.length && size > 0 && !isWrong)
    return vectors.map((vector) => unitVector(vector));
  throw new Error(
    `The encoder returned ${vectors.length} vectors for ${texts.length} texts, or vectors with different sizes or without numbers`,
  );
}

interface TimeLimit {
  /** Resolves as `work` does; rejects when the time is up or the run is aborted. */
  within<Value>(work: Promise<Value>): Promise<Value>;
  end(): void;
}

function timeLimit(milliseconds: number, signal: AbortSignal | undefined): TimeLimit {
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => {
    controller.abort(new Error(`The encoder took more than ${milliseconds} ms (encoderTimeoutMs)`));
  }, milliseconds);
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  const over = new Promise<never>((_, reject) => {
    const refuse = () => reject(controller.signal.reason as Error);
    if (controller.signal.aborted) refuse();
    controller.signal.addEventListener("abort", refuse, { once: true });
  });
  over.catch(() => undefined);
  return {
    within: (work) => Promise.race([work, over]),
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    },
  };
}
