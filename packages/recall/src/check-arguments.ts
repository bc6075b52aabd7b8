import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { RecallOptions, SearchOptions } from "./options.js";
import { RecallError } from "./recall-error.js";

const names = [
  "embeddings",
  "embeddingModel",
  "vectorStore",
  "neighbourShare",
  "graphFrom",
  "embeddingTimeout",
  "onEvent",
] as const satisfies readonly (keyof RecallOptions)[];

/**
 * Refuses unknown options, and an encoder or a store without the methods that are called: otherwise the search by meaning would
 * silently be missing. @throws RecallError "bad-option"
 */
export function checkOptions(options: RecallOptions, further: readonly string[] = []): void {
  const known: readonly string[] = [...names, ...further];
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw bad(`${unknown} is not an option: the options are ${known.join(", ")}.`);
  const { embeddings, vectorStore } = options;
  if (embeddings !== undefined && vectorStore !== undefined)
    throw bad("embeddings and vectorStore are both given: give one of them.");
  checkParts("embeddings", embeddings, ["embedDocuments", "embedQuery"]);
  checkParts("vectorStore", vectorStore, ["addDocuments", "similaritySearchWithScore"]);
}

function checkParts(name: keyof RecallOptions, value: unknown, methods: readonly string[]): void {
  if (value === undefined) return;
  if (value instanceof Promise) throw bad(`${name} is a Promise: await it.`);
  const parts = Object(value) as Readonly<Record<string, unknown>>;
  const lacks = methods.find((method) => typeof parts[method] !== "function");
  if (lacks === undefined) return;
  const what = typeof value === "string" ? shown(value) : `a ${typeof value} without ${lacks}`;
  throw bad(`${name} is ${what}: give an object of LangChain with ${methods.join(" and ")}.`);
}

/** @throws RecallError "bad-option" */
export function checkPath(path: unknown): void {
  const way = 'give a file name, such as "agent.recall.db", or use RecallIndex.inMemory()';
  if (typeof path !== "string" || path === "") throw bad(`The path of the index is ${shown(path)}: ${way}.`);
  if (isUrl(path))
    throw bad(
      "The path of the index is the url of a Postgres database: await RecallIndex.fromPostgres(url).",
    );
  // SQLite would open what such a url names, and `?mode=memory` would keep nothing.
  if (/^file:/i.test(path)) throw bad(`The path of the index is the url ${shown(path)}: ${way}.`);
  const folder = dirname(path);
  if (path === ":memory:" || existsSync(folder)) return;
  throw bad(`The folder ${folder} of the index does not exist: create it.`);
}

/** @throws RecallError "bad-option" */
export function checkSearch(query: unknown, options: Partial<SearchOptions> | undefined): void {
  if (typeof query !== "string") throw bad(`The query is ${shown(query)}: give a text.`);
  if (typeof options?.thread === "string") return;
  throw bad(`The thread to search is ${shown(options?.thread)}: call search(query, { thread }).`);
}

function isUrl(text: unknown): boolean {
  return typeof text === "string" && /^postgres(?:ql)?:\/\//.test(text);
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function bad(message: string): RecallError {
  return new RecallError("bad-option", message);
}
