import { Embeddings } from "@langchain/core/embeddings";

/** Embeddings with one dimension for each of three subjects, so that texts about one subject are near each other. */
export class SubjectEmbeddings extends Embeddings {
  calls = 0;
  constructor() {
    super({});
  }
  embedDocuments(texts: string[]): Promise<number[][]> {
    this.calls += texts.length;
    return Promise.resolve(texts.map(subject));
  }
  embedQuery(text: string): Promise<number[]> {
    return Promise.resolve(subject(text));
  }
}

export function subject(text: string): number[] {
  const subjects = [/bird|sparrow|wing/, /boat|harbour|sail/, /bread|oven|flour/];
  return [...subjects.map((one) => (one.test(text) ? 1 : 0)), 0.1];
}
