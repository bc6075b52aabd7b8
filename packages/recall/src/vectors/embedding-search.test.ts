import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { RecallEvent } from "../options.js";
import { LibsqlStore } from "../stores/libsql/libsql-store.js";
import { EmbeddingSearch } from "./embedding-search.js";
import type { EmbeddingSearchOptions } from "./embedding-search.js";
import { HashedEmbeddings } from "./hashed-embeddings.js";

const folder = mkdtempSync(join(tmpdir(), "recall-graphs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newPath = (): string => join(folder, `index-${files++}.db`);
const graphs = (): string[] => readdirSync(folder).filter((name) => name.endsWith(".hnsw"));

const subjects = ["harbour boat sail", "oven bread flour", "sparrow wing nest", "parser token stream"];
const texts = Array.from(
  { length: 400 },
  (_, at) => `${subjects[at % 4]} note${at} page${at % 31} part${at % 57}`,
);

interface Opened extends Partial<EmbeddingSearchOptions> {
  readonly path: string;
  readonly count?: number;
}

/** Returns a search that has added the texts of one thread. */
async function open({ path, count = texts.length, ...options }: Opened) {
  const table = new LibsqlStore(path, () => {});
  await table.add(texts.slice(0, count).map((text, at) => ({ thread: "t", path: "/a", line: at + 1, text })));
  const embeddings = new HashedEmbeddings({ dimensions: 64 });
  const vectors = new EmbeddingSearch({
    embeddings,
    model: "hashed",
    table,
    path,
    graphFrom: 100,
    ...options,
  });
  await vectors.update("t");
  await vectors.settled("t");
  const nearest = async (query: string) =>
    (await vectors.nearest(query, { thread: "t" }, 10)).map(({ id }) => id);
  const close = async (): Promise<void> => {
    await vectors.close();
    await table.close();
  };
  return { table, vectors, nearest, close };
}

const questions = texts.filter((_, at) => at % 20 === 7);

async function shareFound(
  one: (query: string) => Promise<number[]>,
  other: (query: string) => Promise<number[]>,
) {
  let found = 0;
  for (const question of questions) {
    const truth = await other(question);
    found += (await one(question)).filter((id) => truth.includes(id)).length;
  }
  return found / (questions.length * 10);
}

const noModule = (): Promise<undefined> => Promise.resolve(undefined);

describe("EmbeddingSearch", () => {
  it("finds 99 % of the nearest vectors through a graph", async () => {
    const path = newPath();
    const exact = await open({ path: newPath(), graphFrom: Infinity });
    const graph = await open({ path });
    expect(await shareFound(graph.nearest, exact.nearest)).toBeGreaterThanOrEqual(0.99);
    await exact.close();
    expect(graphs()).toEqual([]);
    await graph.close();
    expect(graphs()).toHaveLength(1);
    rmSync(join(folder, graphs()[0] ?? ""));
  });

  it("loads the graph of an earlier process, and adds the passages that are new since", async () => {
    const path = newPath();
    await (await open({ path, count: 300 })).close();
    expect(graphs()).toHaveLength(1);
    const exact = await open({ path: newPath(), graphFrom: Infinity });
    const again = await open({ path, graphFrom: Infinity });
    expect(await shareFound(again.nearest, exact.nearest)).toBeGreaterThanOrEqual(0.99);
    await again.vectors.removeThread("t", await again.table.idsOf("t"));
    expect(graphs()).toEqual([]);
    await exact.close();
    await again.close();
  });

  it("compares all vectors when the saved graph is unreadable or belongs to another index", async () => {
    const path = newPath();
    await (await open({ path })).close();
    const [name = ""] = graphs();
    writeFileSync(join(folder, name), "no graph");
    const exact = await open({ path: newPath(), graphFrom: Infinity });
    const damaged = await open({ path, graphFrom: Infinity });
    expect(await shareFound(damaged.nearest, exact.nearest)).toBe(1);
    await damaged.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    const rebuilt = await open({ path, graphFrom: Infinity });
    expect(await shareFound(rebuilt.nearest, exact.nearest)).toBe(1);
    await rebuilt.close();
    await exact.close();
    rmSync(join(folder, name));
  });

  it("lets the event loop run while an encoder of this process embeds many texts", async () => {
    const table = new LibsqlStore(":memory:", () => {});
    const many = Array.from({ length: 2_000 }, (_, at) => `note ${at}`);
    await table.add(many.map((text, at) => ({ thread: "t", path: "/a", line: at + 1, text })));
    const vectors = new EmbeddingSearch({ embeddings: new HashedEmbeddings(), model: "hashed", table });
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    await vectors.update("t");
    clearInterval(counting);
    expect(turns).toBeGreaterThan(1);
    await table.close();
  });

  it("compares all vectors when the native module is missing, and reports it once", async () => {
    const events: RecallEvent[] = [];
    const onEvent = (event: RecallEvent) => void events.push(event);
    const opened = await open({ path: newPath(), loadGraphs: noModule, onEvent });
    const exact = await open({ path: newPath(), graphFrom: Infinity });
    expect(await shareFound(opened.nearest, exact.nearest)).toBe(1);
    await opened.vectors.update("t");
    await opened.vectors.settled("t");
    expect(events).toEqual([{ type: "graph_missing", passages: texts.length }]);
    await opened.close();
    await exact.close();
  });
});
