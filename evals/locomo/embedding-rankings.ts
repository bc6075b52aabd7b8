import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { HashedEmbeddings } from "@palimpsest/recall/internal";
import { SentenceEncoder } from "./sentence-encoder.js";
import { byScore, turnsOf, type Ranking } from "./rankings.js";

const encoder = new SentenceEncoder();

/** Words hashed to the dimensions of a vector, without a model. */
export const hashedWords = byNearness("hashed words alone", () => new HashedEmbeddings());

/** A real sentence encoder, alone. */
export const denseEncoder = byNearness("sentence encoder alone", () => encoder);

/** Ranks turns by the cosine of their vector and the question's. */
function byNearness(name: string, start: () => EmbeddingsInterface): Ranking {
  return {
    name,
    start: (dialogue) => {
      const embeddings = start();
      const units = turnsOf(dialogue);
      const encoded = embeddings.embedDocuments(units.map(({ text }) => text));
      return async ({ text }) => {
        const asked = await embeddings.embedQuery(text);
        const vectors = await encoded;
        return byScore(
          units,
          vectors.map((vector) => cosine(vector, asked)),
        );
      };
    },
  };
}

function cosine(one: readonly number[], other: readonly number[]): number {
  return dot(one, other) / (Math.sqrt(dot(one, one) * dot(other, other)) || 1);
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
