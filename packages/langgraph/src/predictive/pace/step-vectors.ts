import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { digest } from "@palimpsest/context/internal";
import { unitVector } from "@palimpsest/context/selection";
import type { FileDriver, VirtualFilesystem } from "@palimpsest/vfs";
import { scopeDriver, threadDirectory } from "@palimpsest/vfs/internal";
import { Backoff } from "../memory/backoff.js";
import type { Reporter } from "../../run/reporter.js";
import { deadline, type Deadline } from "../../summary/deadline.js";
import { isAborted } from "../memory/background-writing.js";
import type { ResolvedPace } from "./pace-options.js";

export interface EncodeOptions {
  readonly files: VirtualFilesystem;
  readonly pace: ResolvedPace;
  readonly report: Reporter;
  readonly signal?: AbortSignal | undefined;
  /** False encodes the query alone. @default true */
  readonly encodesSteps?: boolean;
}

interface Storing extends Pick<EncodeOptions, "files" | "report"> {
  readonly store: FileDriver;
}

/** Stored vectors that are read at the same time. */
const readConcurrency = 16;

/**
 * The vectors of one thread's steps. Each text is encoded once; its vector is stored beside the thread's archive.
 *
 * Encodes in small batches and keeps each batch as soon as it arrives, even after the step that asked for it has stopped
 * waiting. The rest is encoded in the background until the run is aborted, and by the next selection.
 */
export class StepVectors {
  readonly #vectors = new Map<number, Float32Array>();
  /** Texts without a vector, by step. */
  readonly #unencoded = new Map<number, string>();
  readonly #queryBackoff = new Backoff();
  readonly #batchBackoff = new Backoff();
  #running: Promise<void> | undefined;
  #loading: Promise<void> | undefined;
  #cannotStore = false;
  /** A failure was reported, and nothing has been encoded since. */
  #isReported = false;

  /** Adds a step that needs a vector. */
  add(step: number, text: string): void {
    this.#unencoded.set(step, text);
  }

  forget(step: number): void {
    this.#vectors.delete(step);
    this.#unencoded.delete(step);
  }

  /** Returns the vector of a step; undefined if it is missing or has another size. Never waits. */
  of(step: number, size: number): Float32Array | undefined {
    const vector = this.#vectors.get(step);
    return vector?.length === size ? vector : undefined;
  }

  /**
   * Returns the vector of a query. Waits for it, and for the vectors of `past` steps, for at most `encoderTimeoutMs`.
   *
   * Returns undefined when the encoder is down, slow, or returns no valid vectors. The first failure sends an event; the
   * encoder is retried with exponential backoff, counted in selections. Aborts pass through.
   */
  async encode(
    query: string,
    past: readonly number[],
    options: EncodeOptions,
  ): Promise<Float32Array | undefined> {
    const { pace, report, signal, encodesSteps = true } = options;
    if (pace.embeddings === undefined) return undefined;
    await this.#load(options);
    if (!this.#queryBackoff.isDue()) return undefined;
    const limit = encoderDeadline(pace.encoderTimeoutMs, signal);
    try {
      const [vector] = await limit.within(encodeTexts([query], pace.embeddings));
      this.#queryBackoff.succeed();
      this.#isReported = false;
      if (encodesSteps) this.#encodeRest(options);
      const isMissing = past.some((step) => this.#unencoded.has(step));
      if (isMissing && this.#running !== undefined) await limit.within(this.#running).catch(() => undefined);
      signal?.throwIfAborted();
      return vector;
    } catch (error) {
      if (signal?.aborted === true) throw error;
      if (this.#queryBackoff.fail()) this.#report(error, report);
      return undefined;
    } finally {
      limit.end();
    }
  }

  #report(error: unknown, report: Reporter): void {
    if (!this.#isReported) report.fail("encoder", error, "words");
    this.#isReported = true;
  }

  /** Encodes steps in the background before a selection needs them. Returns at once. */
  encodeAhead(options: EncodeOptions): void {
    if (options.pace.embeddings === undefined || this.#unencoded.size === 0) return;
    // The selection loads again, and reports what fails.
    this.#load(options).then(
      () => this.#encodeRest(options),
      () => undefined,
    );
  }

  #encodeRest(options: EncodeOptions): void {
    if (this.#running !== undefined || this.#unencoded.size === 0 || !this.#batchBackoff.isDue()) return;
    this.#running = this.#work(options).finally(() => {
      this.#running = undefined;
    });
  }

  /** Never rejects, because nobody has to await it. The first failure ends the batches. */
  async #work(options: EncodeOptions): Promise<void> {
    const { files, pace, report, signal } = options;
    const { embeddings, encoderBatch, encoderTimeoutMs } = pace;
    if (embeddings === undefined) return;
    const store = vectorStore(options);
    while (this.#unencoded.size > 0 && !isAborted(options)) {
      // The newest steps are needed first.
      const batch = [...this.#unencoded].slice(-encoderBatch).toReversed();
      const limit = encoderDeadline(encoderTimeoutMs * batch.length, signal);
      try {
        const encoded = encodeTexts(
          batch.map(([, text]) => text),
          embeddings,
        );
        // Keep the vectors even if they arrive after the time limit.
        const kept = encoded.then((vectors) => this.#keep(batch, vectors, { files, store, report }));
        await limit.within(kept);
        this.#batchBackoff.succeed();
        this.#isReported = false;
      } catch (error) {
        if (!isAborted(options) && this.#batchBackoff.fail()) this.#report(error, report);
        return;
      } finally {
        limit.end();
      }
    }
  }

  async #keep(
    batch: readonly (readonly [number, string])[],
    vectors: readonly Float32Array[],
    { files, store, report }: Storing,
  ): Promise<void> {
    batch.forEach(([step, text], at) => {
      const vector = vectors[at];
      if (vector === undefined || this.#unencoded.get(step) !== text) return;
      this.#vectors.set(step, vector);
      this.#unencoded.delete(step);
    });
    try {
      // A directory with files and no key counts as one that has lost its key.
      await files.seal(report.threadId).prepare();
      await Promise.all(
        batch.map(([, text], at) => store.write(vectorPath(text), bytesOf(vectors[at]), { ifAbsent: true })),
      );
    } catch (error) {
      // Without the file, the vector is computed again after a restart.
      if (!this.#cannotStore) report.fail("archive", error, "none");
      this.#cannotStore = true;
    }
  }

  /** Reads the stored vectors of steps that have none yet, once, and again after a failure. */
  async #load(options: EncodeOptions): Promise<void> {
    this.#loading ??= this.#readStored(options).catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    await this.#loading;
  }

  async #readStored(options: EncodeOptions): Promise<void> {
    const store = vectorStore(options);
    const steps = new Map<string, number[]>();
    for (const [step, text] of this.#unencoded) {
      const path = vectorPath(text);
      steps.set(path, [...(steps.get(path) ?? []), step]);
    }
    const stored: string[] = [];
    for await (const { path } of store.list("/")) if (steps.has(path)) stored.push(path);
    for (let at = 0; at < stored.length; at += readConcurrency) {
      const batch = stored.slice(at, at + readConcurrency);
      await Promise.all(
        batch.map(async (path) => {
          const bytes = await store.read(path);
          if (bytes === undefined || bytes.length === 0 || bytes.length % 4 !== 0) return;
          const vector = new Float32Array(bytes.slice().buffer);
          for (const step of steps.get(path) ?? []) {
            this.#vectors.set(step, vector);
            this.#unencoded.delete(step);
          }
        }),
      );
    }
  }
}

/**
 * Returns the store of the vectors. It is outside the archive, because vectors are not for the agent, and is deleted with the
 * thread.
 */
function vectorStore({ files, pace, report }: EncodeOptions): FileDriver {
  const { encoderId, encodedCharacters } = pace;
  const encoder = digest(JSON.stringify([encoderId, encodedCharacters])).slice(0, 16);
  return scopeDriver(
    files.threadDriver(report.threadId),
    `${threadDirectory(report.threadId)}/vectors/${encoder}`,
  );
}

function vectorPath(text: string): string {
  return `/${digest(text)}.f32`;
}

function bytesOf(vector: Float32Array | undefined): Uint8Array {
  return vector === undefined
    ? new Uint8Array()
    : new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** Returns the vectors at length 1. @throws Error unless the encoder returns one vector of the same size for each text */
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
    `The encoder returned ${vectors.length} vectors for ${texts.length} texts, or vectors of different sizes or with values that are not numbers`,
  );
}

function encoderDeadline(milliseconds: number, signal: AbortSignal | undefined): Deadline {
  const late = `The encoder took more than ${milliseconds} ms (encoderTimeoutMs)`;
  return deadline(milliseconds, { signal, late });
}
