import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { RecallError } from "../recall-error.js";

/** Encoders silently truncate longer texts. Each window is embedded, and their mean represents the text. */
const windowCharacters = 500;

/** Returns a vector of length 1 for each text: the mean over its windows of 500 characters. */
export async function embedTexts(
  embeddings: EmbeddingsInterface,
  texts: readonly string[],
): Promise<Float32Array[]> {
  const windows = texts.map(windowsOf);
  const vectors = await embeddings.embedDocuments(windows.flat());
  const expected = windows.flat().length;
  if (vectors.length !== expected) throw bad(`${vectors.length} vectors came back for ${expected} texts`);
  let at = 0;
  return windows.map(({ length }) => mean(vectors.slice(at, (at += length))));
}

/** Returns the vector of a question, of length 1. Throws a RecallError "bad-embedding" for an invalid vector. */
export async function embedQuery(embeddings: EmbeddingsInterface, query: string): Promise<Float32Array> {
  return mean([await embeddings.embedQuery(query.slice(0, windowCharacters))]);
}

function windowsOf(text: string): string[] {
  const count = Math.max(1, Math.ceil(text.length / windowCharacters));
  return Array.from({ length: count }, (_, index) =>
    text.slice(index * windowCharacters, (index + 1) * windowCharacters),
  );
}

function mean(vectors: readonly (readonly number[])[]): Float32Array {
  const size = vectors[0]?.length ?? 0;
  const sum = new Float32Array(size);
  for (const vector of vectors) {
    if (vector.length !== size || size === 0)
      throw bad(`a vector has ${vector.length} numbers, another ${size}`);
    for (const [index, value] of vector.entries()) sum[index] = (sum[index] ?? 0) + value;
  }
  const length = Math.hypot(...sum);
  if (!Number.isFinite(length)) throw bad("a vector holds numbers that are not finite");
  return length === 0 ? sum : sum.map((value) => value / length);
}

function bad(what: string): RecallError {
  return new RecallError(
    "bad-embedding",
    `The embeddings are invalid: ${what}. The search uses words only; check the embedding model.`,
  );
}
