import { expect, it } from "vitest";
import { HashedEmbeddings } from "./hashed-embeddings.js";

const embeddings = new HashedEmbeddings();
const nearness = async (one: string, other: string): Promise<number> => {
  const [first = [], second = []] = await embeddings.embedDocuments([one, other]);
  return first.reduce((sum, value, at) => sum + value * (second[at] ?? 0), 0);
};

it("returns the same vector of length 1 for the same text, as a document and as a question", async () => {
  const [vector = []] = await embeddings.embedDocuments(["parseUrl in src/http"]);
  expect(vector).toHaveLength(512);
  expect(Math.hypot(...vector)).toBeCloseTo(1, 12);
  expect(await new HashedEmbeddings().embedQuery("parseUrl in src/http")).toEqual(vector);
});

it("returns near vectors for texts that share rare words or pieces of words", async () => {
  const far = await nearness("the harbour was empty", "the oven was hot");
  expect(await nearness("the harbour was empty", "a boat in the harbour")).toBeGreaterThan(far + 0.2);
  expect(await nearness("synchronise", "synchronisation")).toBeGreaterThan(far + 0.2);
});

it("returns a zero vector for a text without words", async () => {
  expect(await embeddings.embedQuery(" … ")).toEqual(Array.from({ length: 512 }, () => 0));
});

it.each([0, 7, 12.5, Number.NaN])("refuses %d dimensions", (dimensions) => {
  expect(() => new HashedEmbeddings({ dimensions })).toThrow(`dimensions is ${dimensions}`);
});
