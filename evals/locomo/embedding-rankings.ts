import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { HashedEmbeddings } from "@palimpsest/recall/internal";
import { sentenceEncoder } from "./sentence-encoder.js";
import { turnsOf, type Ranking } from "./rankings.js";
import { byScore } from "../metrics/by-score.js";

/** Words hashed to the dimensions of a vector, without a model. */
export const hashedWords = byNearness("hashed words alone", () => new HashedEmbeddings());

/** A real sentence encoder, alone. */
export const denseEncoder = byNearness("sentence encoder alone", () => sentenceEncoder);

/** Ranks turns by the cosine of their vector and the question's. */
function byNearness(name: string, start: () => EmbeddingsInterface): Ranking {
  return {
    name,
    start: (dialogue) => {
      const embeddings = start();
      const units = turnsOf(dialogue);
      const encoded = embeddings
        .embedDocuments(units.map(({ text }) => text))
        .then((vectors) => vectors.map((vector) => ({ vector, length: lengthOf(vector) })));
      return async ({ text }) => {
        const asked = await embeddings.embedQuery(text);
        const turns = await encoded;
        // The length of the question's vector is the same for all turns.
        return byScore(
          units,
          turns.map(({ vector, length }) => dot(vector, asked) / length),
        );
      };
    },
  };
}

function lengthOf(vector: readonly number[]): number {
  return Math.sqrt(dot(vector, vector)) || 1;
}

function dot(one: readonly number[], other: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
