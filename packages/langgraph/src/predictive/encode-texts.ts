import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { hashVector } from "@palimpsest/context";
import { deadline } from "../compaction/summary-call.js";
import type { Reporter } from "../edge/reporter.js";

interface EncodeOptions {
  readonly embeddings: EmbeddingsInterface | undefined;
  readonly timeoutMs: number;
  readonly report: Reporter;
  readonly signal?: AbortSignal | undefined;
  /** Numbers that a vector must have; undefined takes those of the first. */
  readonly size?: number | undefined;
}

/**
 * Returns a vector for each text, by the encoder or by hashed words where there is none.
 *
 * Undefined, and an event, when the encoder is down, slow, or returns what is no vector: too few of them, other sizes,
 * numbers that are none. The caller then goes by words alone. Aborts pass through.
 */
export async function encodeTexts(
  texts: readonly string[],
  { embeddings, timeoutMs, report, signal, size }: EncodeOptions,
): Promise<readonly (readonly number[])[] | undefined> {
  if (embeddings === undefined) return texts.map((text) => hashVector(text));
  const time = deadline(timeoutMs, signal);
  try {
    const vectors = await time.within(embeddings.embedDocuments([...texts]));
    const expected = size ?? vectors[0]?.length ?? 0;
    const wrong = vectors.find((vector) => vector.length !== expected || !vector.every(Number.isFinite));
    if (vectors.length === texts.length && expected > 0 && wrong === undefined) return vectors;
    throw new Error(
      `The encoder returned ${vectors.length} vectors for ${texts.length} texts, or some that are no vectors`,
    );
  } catch (error) {
    if (signal?.aborted === true) throw error;
    report.fail("encoder", error, "words");
    return undefined;
  } finally {
    time.end();
  }
}
