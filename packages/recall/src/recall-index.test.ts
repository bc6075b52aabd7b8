import { FakeEmbeddings } from "@langchain/core/utils/testing";
import Database from "libsql";
import { HNSWLib } from "@langchain/community/vectorstores/hnswlib";
import { Embeddings } from "@langchain/core/embeddings";
import {
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { RecallIndex, type RecallOptions } from "./recall-index.js";
import type { RecallEvent } from "./recall-event.js";

const folder = mkdtempSync(join(tmpdir(), "recall-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newPath = (): string => join(folder, `index-${files++}.db`);

/** Puts texts about the same thing near each other: one dimension for each of a few subjects. */
class SubjectEmbeddings extends Embeddings {
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

function subject(text: string): number[] {
  const subjects = [/bird|sparrow|wing/, /boat|harbour|sail/, /bread|oven|flour/];
  return [...subjects.map((one) => (one.test(text) ? 1 : 0)), 0.1];
}

const texts = ["A sparrow sat on the roof.", "The harbour was empty.", "Put the flour into a bowl."];

function fill(index: RecallIndex, thread = "t1"): RecallIndex {
  for (const [at, text] of texts.entries()) {
    index.addFile({ thread, path: `/context/results/${at}.txt`, kind: "results", step: at, text });
  }
  return index;
}

const engines: [string, (options?: RecallOptions) => RecallIndex][] = [
  ["memory", (options) => RecallIndex.inMemory(options)],
  ["a file", (options) => RecallIndex.fromPath(newPath(), options)],
];

describe.each(engines)("RecallIndex in %s", (_, open) => {
  it("finds an identifier by itself and by each of its parts", async () => {
    const index = open();
    const text = "first line\n\nexport function parseTokenStream(input) {\n";
    index.addFile({ thread: "t", path: "/context/a.md", text });
    index.addFile({ thread: "t", path: "/context/b.md", text: "nothing of the kind" });
    for (const query of ["parseTokenStream", "token stream", "PARSE"]) {
      const hits = await index.search(query, { thread: "t" });
      expect(hits.map(({ path, line }) => [path, line])).toEqual([["/context/a.md", 1]]);
    }
  });

  it("finds nothing of another thread, however its id looks", async () => {
    const index = open();
    const threads = ["t1", "t10", "t1/x", "t1' OR '1'='1", 't"1', "ü"];
    for (const thread of threads) {
      index.addFile({ thread, path: "/context/a", text: `kiwi of ${threads.indexOf(thread)}` });
    }
    for (const thread of threads) {
      const hits = await index.search("kiwi", { thread });
      expect(hits.map(({ text }) => text)).toEqual([`kiwi of ${threads.indexOf(thread)}`]);
    }
  });

  it("looks only where the filter says", async () => {
    const index = open();
    for (const step of [1, 2, 3]) {
      const kind = step === 2 ? "history" : "results";
      index.addFile({ thread: "t", path: `/context/${kind}/${step}`, kind, step, text: `kiwi ${step}` });
    }
    const steps = async (filter: object): Promise<number[]> =>
      (await index.search("kiwi", { thread: "t", ...filter }))
        .flatMap(({ step }) => step ?? [])
        .toSorted((one, other) => one - other);
    expect(await steps({ kind: "history" })).toEqual([2]);
    expect(await steps({ path: "/context/results/" })).toEqual([1, 3]);
    expect(await steps({ steps: [2, 3] })).toEqual([2, 3]);
  });

  it("takes a file in once", async () => {
    const index = fill(fill(open()));
    expect(await index.search("sparrow", { thread: "t1" })).toHaveLength(1);
  });

  it("answers a question of odd characters with no error", async () => {
    const index = fill(open());
    for (const query of ["", " ", '"', "a AND NOT (b", "scope:x*", "NEAR(\u0000", "$&", "😀"]) {
      const hits = await index.search(query, { thread: "t1" });
      expect(hits.every(({ text }) => texts.includes(text))).toBe(true);
    }
    expect(await index.search('"', { thread: "t1" })).toEqual([]);
  });

  it("finds a word that it was asked for before the word came", async () => {
    const index = fill(open());
    expect(await index.search("quokka", { thread: "t1" })).toEqual([]);
    index.addFile({ thread: "t1", path: "/context/late", text: "A late quokka." });
    expect(await index.search("quokka", { thread: "t1" })).toHaveLength(1);
  });

  it("finds the forms of a word, and asks for articles only where there is nothing else", async () => {
    const index = fill(open());
    const found = async (query: string) =>
      (await index.search(query, { thread: "t1" })).map(({ text }) => text);
    expect(await found("sparrows")).toEqual([texts[0]]);
    expect(await found("the harbours")).toEqual([texts[1]]);
    expect((await found("the")).toSorted()).toEqual(texts.toSorted());
  });

  it("finds by meaning where no word is the same", async () => {
    const index = fill(open({ embeddings: new SubjectEmbeddings() }));
    const [hit] = await index.search("a bird with one wing", { thread: "t1" });
    expect(hit?.text).toBe(texts[0]);
  });

  it("embeds the same text once, and finds it in each thread", async () => {
    const embeddings = new SubjectEmbeddings();
    const index = fill(fill(open({ embeddings })), "t2");
    await index.search("boat", { thread: "t1" });
    const [hit] = await index.search("boat", { thread: "t2" });
    expect(hit?.text).toBe(texts[1]);
    expect(embeddings.calls).toBe(texts.length);
  });

  it("finds the same through the graph as by comparing with all", async () => {
    const exact = fill(open({ embeddings: new SubjectEmbeddings() }));
    const graph = fill(open({ embeddings: new SubjectEmbeddings(), graphFrom: 1 }));
    for (const query of ["bird", "sail", "oven"]) {
      const found = await graph.search(query, { thread: "t1", limit: 1 });
      expect(found).toHaveLength(1);
      expect(found).toEqual(await exact.search(query, { thread: "t1", limit: 1 }));
    }
  });

  it("searches through a vector store of LangChain", async () => {
    const vectorStore = new HNSWLib(new SubjectEmbeddings(), { space: "cosine", numDimensions: 4 });
    const index = fill(open({ vectorStore }));
    const [hit] = await index.search("big sail boats", { thread: "t1" });
    expect(hit?.text).toBe(texts[1]);
  });

  it("finds a text in each thread that has it through a vector store, also in one that was forgotten between", async () => {
    const vectorStore = new HNSWLib(new SubjectEmbeddings(), { space: "cosine", numDimensions: 4 });
    const index = fill(fill(open({ vectorStore })), "t2");
    const find = async (thread: string) => (await index.search("big sail boats", { thread })).at(0)?.text;
    expect([await find("t1"), await find("t2")]).toEqual([texts[1], texts[1]]);
    index.removeThread("t1");
    expect(await find("t1")).toBeUndefined();
    fill(index);
    expect(await find("t1")).toBe(texts[1]);
  });

  it("forgets a thread and keeps the others", async () => {
    const index = fill(fill(open({ embeddings: new SubjectEmbeddings() })), "t2");
    index.removeThread("t1");
    expect(await index.search("sparrow", { thread: "t1" })).toEqual([]);
    expect(await index.search("sparrow", { thread: "t2" })).not.toEqual([]);
    expect(index.missing("t1", ["/context/results/0.txt"])).toHaveLength(1);
    expect(index.missing("t2", ["/context/results/0.txt", "/new"])).toEqual(["/new"]);
  });
});

const never = new Promise<never>(() => {});
const failing: [string, Partial<Embeddings>][] = [
  ["are down", { embedDocuments: () => Promise.reject(new Error("connect ECONNREFUSED")) }],
  ["do not answer", { embedDocuments: () => never }],
  ["give no numbers", { embedDocuments: (texts) => Promise.resolve(texts.map(() => [NaN, 1])) }],
  ["give empty vectors", { embedDocuments: (texts) => Promise.resolve(texts.map(() => [])) }],
  ["give too few", { embedDocuments: () => Promise.resolve([]) }],
  [
    "give vectors of different sizes",
    { embedDocuments: (texts) => Promise.resolve(texts.map((_, at) => Array(at + 1).fill(1))) },
  ],
  [
    "give a question of another size",
    {
      embedDocuments: (texts) => Promise.resolve(texts.map(() => [1, 2])),
      embedQuery: async () => [1, 2, 3],
    },
  ],
];

describe("RecallIndex with embeddings that fail", () => {
  it.each(failing)("searches by words when they %s, and says so", async (_, broken) => {
    const events: RecallEvent[] = [];
    const embeddings = Object.assign(new FakeEmbeddings(), broken) as Embeddings;
    const index = fill(
      RecallIndex.inMemory({ embeddings, embeddingTimeout: 100, onEvent: (event) => events.push(event) }),
    );
    const hits = await index.search("harbour", { thread: "t1" });
    expect(hits.map(({ text }) => text)).toEqual([texts[1]]);
    expect(events.map(({ type }) => type)).toEqual(["embeddings_failed"]);
  });

  it("takes vectors of zeros as near to nothing", async () => {
    const zeros: Partial<Embeddings> = {
      embedDocuments: (all) => Promise.resolve(all.map(() => [0, 0])),
      embedQuery: () => Promise.resolve([0, 0]),
    };
    const index = fill(RecallIndex.inMemory({ embeddings: Object.assign(new FakeEmbeddings(), zeros) }));
    const [hit] = await index.search("harbour", { thread: "t1" });
    expect(hit?.text).toBe(texts[1]);
  });

  it("makes the vectors anew under another name of the model", async () => {
    const path = newPath();
    const first = fill(RecallIndex.fromPath(path, { embeddings: new SubjectEmbeddings() }));
    await first.search("bird", { thread: "t1" });
    first.close();
    const events: RecallEvent[] = [];
    const wide = Object.assign(new SubjectEmbeddings(), {
      embedDocuments: (all: string[]) => Promise.resolve(all.map((text) => [...subject(text), 0.2])),
      embedQuery: (text: string) => Promise.resolve([...subject(text), 0.2]),
    });
    const onEvent = (event: RecallEvent) => void events.push(event);
    const same = RecallIndex.fromPath(path, { embeddings: wide, onEvent });
    expect((await same.search("harbour wing", { thread: "t1" })).map(({ text }) => text)).toEqual([texts[1]]);
    expect(events.map(({ type }) => type)).toEqual(["embeddings_failed"]);
    same.close();
    const other = RecallIndex.fromPath(path, { embeddings: wide, embeddingModel: "wide", onEvent });
    expect((await other.search("wing", { thread: "t1" })).at(0)?.text).toBe(texts[0]);
    expect(events).toHaveLength(1);
    other.close();
  });

  it("goes on embedding what a slow encoder did not finish in time", async () => {
    const events: RecallEvent[] = [];
    const slow = new SubjectEmbeddings();
    const embed = slow.embedDocuments.bind(slow);
    slow.embedDocuments = async (all) => {
      await setTimeout(60);
      return embed(all);
    };
    const onEvent = (event: RecallEvent) => void events.push(event);
    const index = fill(RecallIndex.inMemory({ embeddings: slow, embeddingTimeout: 20, onEvent }));
    expect(await index.search("wing", { thread: "t1" })).toEqual([]);
    await setTimeout(120);
    expect((await index.search("wing", { thread: "t1" })).at(0)?.text).toBe(texts[0]);
    expect(events.map(({ type }) => type)).toEqual(["embeddings_failed"]);
    expect(slow.calls).toBe(texts.length);
  });
});

describe("RecallIndex in a file that is opened again", () => {
  it("finds what was there, by words and by meaning, without embedding it anew", async () => {
    const path = newPath();
    const options = { embeddings: new SubjectEmbeddings() };
    const first = fill(RecallIndex.fromPath(path, options));
    await first.search("bird", { thread: "t1" });
    first.close();
    const embeddings = new SubjectEmbeddings();
    const second = RecallIndex.fromPath(path, { ...options, embeddings });
    const [hit] = await second.search("a wing", { thread: "t1" });
    expect(hit?.text).toBe(texts[0]);
    expect(embeddings.calls).toBe(0);
  });

  it("is made anew when it is broken", async () => {
    for (const damage of [
      (path: string) => writeFileSync(path, "no database"),
      (path: string) => truncateSync(path, 5_000),
    ]) {
      const path = newPath();
      const options = { embeddings: new SubjectEmbeddings() };
      const first = fill(RecallIndex.fromPath(path, options));
      await first.search("bird", { thread: "t1" });
      first.close();
      for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
      damage(path);
      const second = RecallIndex.fromPath(path, options);
      expect(second.missing("t1", ["/context/results/0.txt"])).toHaveLength(1);
      const [hit] = await fill(second).search("a wing", { thread: "t1" });
      expect(hit?.text).toBe(texts[0]);
    }
  });

  it("is made anew, with an event, when a read finds that its inside is damaged", async () => {
    const path = newPath();
    const first = RecallIndex.fromPath(path);
    const passages = Array.from({ length: 2_000 }, (_, at) => `record ${at} of ${at % 7} quokka${at}`);
    first.add(passages.map((text, at) => ({ thread: "t1", path: "/a", line: at + 1, text })));
    first.close();
    const database = new Database(path);
    database.pragma("wal_checkpoint(TRUNCATE)");
    database.close();
    const events: RecallEvent[] = [];
    const second = RecallIndex.fromPath(path, { onEvent: (event) => events.push(event) });
    expect(statSync(path).size).toBeGreaterThan(100 * 4_096);
    const file = openSync(path, "r+");
    const { size } = statSync(path);
    for (let at = 16 * 4_096; at < size; at += 4_096)
      writeSync(file, Buffer.alloc(4_000, 0xa5), 0, 4_000, at);
    closeSync(file);
    for (const at of [3, 1_000, 1_999]) await second.search(`quokka${at} record`, { thread: "t1" });
    expect(events.map(({ type }) => type)).toEqual(["index_rebuilt"]);
    const [hit] = await fill(second).search("sparrow", { thread: "t1" });
    expect(hit?.text).toBe(texts[0]);
    second.close();
  });

  it("takes the place of one that an older version wrote, and leaves that of a newer one alone", async () => {
    const path = newPath();
    const old = new Database(path);
    old.exec("CREATE TABLE passage(id INTEGER PRIMARY KEY, words TEXT); PRAGMA user_version = 1");
    old.close();
    const index = fill(RecallIndex.fromPath(path));
    expect(await index.search("sparrow", { thread: "t1" })).toHaveLength(1);
    index.close();
    const changed = new Database(path);
    changed.exec("PRAGMA user_version = 99");
    changed.close();
    expect(() => RecallIndex.fromPath(path)).toThrow(/is an index of version 99/);
  });

  it("refuses options that cannot work", () => {
    expect(() => RecallIndex.fromPath("")).toThrow(/path of the index is empty/);
    const embeddings = new SubjectEmbeddings();
    const vectorStore = new HNSWLib(embeddings, { space: "cosine" });
    expect(() => RecallIndex.inMemory({ embeddings, vectorStore })).toThrow(/give one of them/);
  });
});
