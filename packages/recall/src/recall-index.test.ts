import { HNSWLib } from "@langchain/community/vectorstores/hnswlib";
import { afterAll, describe, expect, it } from "vitest";
import type { RecallOptions } from "./options.js";
import type { RecallIndex } from "./recall-index.js";
import { engines } from "./testing/engines.js";
import { fill, texts } from "./testing/fill.js";
import { SubjectEmbeddings } from "./testing/subject-embeddings.js";

describe.each(engines)("RecallIndex in $name", (engine) => {
  const opened: RecallIndex[] = [];
  afterAll(async () => Promise.all(opened.map(async (index) => index.close())));

  async function open(options: RecallOptions = {}): Promise<RecallIndex> {
    const index = await engine.open(await engine.newPlace(), options);
    opened.push(index);
    return index;
  }

  it("finds an identifier by its whole name and by each of its parts", async () => {
    const index = await open();
    const text = "first line\n\nexport function parseTokenStream(input) {\n";
    await index.addFile({ thread: "t", path: "/context/a.md", text });
    await index.addFile({ thread: "t", path: "/context/b.md", text: "nothing of the kind" });
    for (const query of ["parseTokenStream", "token stream", "PARSE"]) {
      const hits = await index.search(query, { thread: "t" });
      expect(hits.map(({ path, line }) => [path, line])).toEqual([["/context/a.md", 1]]);
    }
  });

  it.each([
    ["数据库连接超时错误，请检查配置文件", "超时"],
    ["日本語の検索テストです。東京タワーに行きました", "東京"],
    ["ไม่สามารถเชื่อมต่อฐานข้อมูลได้", "ข้อมูล"],
  ])("finds a word in a text whose script has no spaces: %s", async (text, query) => {
    const index = await open();
    await index.addFile({ thread: "t", path: "/context/a.md", text });
    await index.addFile({ thread: "t", path: "/context/b.md", text: "nothing of the kind" });
    const hits = await index.search(query, { thread: "t" });
    expect(hits.map(({ path }) => path)).toEqual(["/context/a.md"]);
  });

  it.each([
    ["cafe", "le café noir", "the black cafe"],
    ["café", "the black cafe", "le café noir"],
    ["ЁЛКА", "Старая елка.", "Старая ёлка."],
    ["Θεσσαλονικη", "στη Θεσσαλονίκη", "στη Θεσσαλονικη"],
  ])("finds %s with and without accents, the exact spelling first", async (query, other, exact) => {
    const index = await open();
    await index.addFile({ thread: "t", path: "/context/a.md", text: other });
    await index.addFile({ thread: "t", path: "/context/b.md", text: exact });
    await index.addFile({ thread: "t", path: "/context/c.md", text: "nothing of the kind" });
    const hits = await index.search(query, { thread: "t" });
    expect(hits.map(({ text }) => text)).toEqual([exact, other]);
  });

  it.each([
    ["猫", "庭に黒猫がいます。"],
    ["猫", "黒猫"],
    ["👍", "Ship it 🎉👍🏽🎉"],
  ])("finds %s, one character of a run: %s", async (query, text) => {
    const index = await open();
    await index.addFile({ thread: "t", path: "/context/a.md", text });
    await index.addFile({ thread: "t", path: "/context/b.md", text: "nothing of the kind 犬 🎈" });
    const hits = await index.search(query, { thread: "t" });
    expect(hits.map(({ path }) => path)).toEqual(["/context/a.md"]);
  });

  it("returns a text that several files hold once, and other texts in place of its copies", async () => {
    const index = await open();
    for (const name of ["a", "b", "c"]) {
      await index.addFile({ thread: "t", path: `/context/${name}`, text: "the otter of the marsh" });
    }
    await index.addFile({ thread: "t", path: "/context/d", text: "an otter, and much else beside it" });
    const hits = await index.search("otter", { thread: "t", limit: 2 });
    expect(hits.map(({ text }) => text)).toEqual([
      "the otter of the marsh",
      "an otter, and much else beside it",
    ]);
  });

  it("finds nothing of another thread, for any thread id", async () => {
    const index = await open();
    const threads = ["t1", "t10", "t1/x", "t1' OR '1'='1", 't"1', "ü"];
    for (const thread of threads) {
      await index.addFile({ thread, path: "/context/a", text: `kiwi of ${threads.indexOf(thread)}` });
    }
    for (const thread of threads) {
      const hits = await index.search("kiwi", { thread });
      expect(hits.map(({ text }) => text)).toEqual([`kiwi of ${threads.indexOf(thread)}`]);
    }
  });

  it("searches only the passages that the filter selects", async () => {
    const index = await open();
    for (const step of [1, 2, 3]) {
      const kind = step === 2 ? "history" : "results";
      await index.addFile({
        thread: "t",
        path: `/context/${kind}/${step}`,
        kind,
        step,
        text: `kiwi ${step}`,
      });
    }
    const steps = async (filter: object): Promise<number[]> =>
      (await index.search("kiwi", { thread: "t", ...filter }))
        .flatMap(({ step }) => step ?? [])
        .toSorted((one, other) => one - other);
    expect(await steps({ kind: "history" })).toEqual([2]);
    expect(await steps({ path: "/context/results/" })).toEqual([1, 3]);
    expect(await steps({ steps: [2, 3] })).toEqual([2, 3]);
    expect(await steps({ except: ["/context/history/"] })).toEqual([1, 3]);
    expect(await steps({ except: ["/context/history/", "/context/results/"] })).toEqual([]);
  });

  it("indexes a file once", async () => {
    const index = await fill(fill(open()));
    expect(await index.search("sparrow", { thread: "t1" })).toHaveLength(1);
  });

  it("accepts a question of any characters", async () => {
    const index = await fill(open());
    for (const query of ["", " ", '"', "a AND NOT (b", "scope:x*", "NEAR(\u0000", "$&", "😀"]) {
      const hits = await index.search(query, { thread: "t1" });
      expect(hits.every(({ text }) => texts.includes(text))).toBe(true);
    }
    expect(await index.search('"', { thread: "t1" })).toEqual([]);
  });

  it("finds a word that was searched for before it was added", async () => {
    const index = await fill(open());
    expect(await index.search("quokka", { thread: "t1" })).toEqual([]);
    await index.addFile({ thread: "t1", path: "/context/late", text: "A late quokka." });
    expect(await index.search("quokka", { thread: "t1" })).toHaveLength(1);
  });

  it("finds the forms of a word, and searches for stop words only when a question has no others", async () => {
    const index = await fill(open());
    const found = async (query: string) =>
      (await index.search(query, { thread: "t1" })).map(({ text }) => text);
    expect(await found("sparrows")).toEqual([texts[0]]);
    expect(await found("the harbours")).toEqual([texts[1]]);
    expect((await found("the")).toSorted()).toEqual(texts.toSorted());
  });

  it("finds a passage by meaning when it shares no word", async () => {
    const index = await fill(open({ embeddings: new SubjectEmbeddings() }));
    const [hit] = await index.search("a bird with one wing", { thread: "t1" });
    expect(hit?.text).toBe(texts[0]);
  });

  it("embeds equal texts once, and finds them in each thread", async () => {
    const embeddings = new SubjectEmbeddings();
    const index = await fill(fill(open({ embeddings })), "t2");
    await index.search("boat", { thread: "t1" });
    const [hit] = await index.search("boat", { thread: "t2" });
    expect(hit?.text).toBe(texts[1]);
    expect(embeddings.calls).toBe(texts.length);
  });

  it("finds the same passages through the graph as by comparing all vectors", async () => {
    const exact = await fill(open({ embeddings: new SubjectEmbeddings() }));
    const graph = await fill(open({ embeddings: new SubjectEmbeddings(), graphFrom: 1 }));
    for (const query of ["bird", "sail", "oven"]) {
      const found = await graph.search(query, { thread: "t1", limit: 1 });
      expect(found).toHaveLength(1);
      expect(found).toEqual(await exact.search(query, { thread: "t1", limit: 1 }));
    }
  });

  it("searches through a vector store of LangChain", async () => {
    const vectorStore = new HNSWLib(new SubjectEmbeddings(), { space: "cosine", numDimensions: 4 });
    const index = await fill(open({ vectorStore }));
    const [hit] = await index.search("big sail boats", { thread: "t1" });
    expect(hit?.text).toBe(texts[1]);
  });

  it("finds equal texts in each thread through a vector store, also after a thread was removed and added again", async () => {
    const vectorStore = new HNSWLib(new SubjectEmbeddings(), { space: "cosine", numDimensions: 4 });
    const index = await fill(fill(open({ vectorStore })), "t2");
    const find = async (thread: string) => (await index.search("big sail boats", { thread })).at(0)?.text;
    expect([await find("t1"), await find("t2")]).toEqual([texts[1], texts[1]]);
    await index.removeThread("t1");
    expect(await find("t1")).toBeUndefined();
    await fill(index);
    expect(await find("t1")).toBe(texts[1]);
  });

  it("counts its passages and bytes", async () => {
    const index = await open();
    expect((await index.size()).rows).toBe(0);
    for (const name of ["a", "b", "c"])
      await index.addFile({ thread: name, path: "/context/a.md", text: `the file of ${name}` });
    const { rows, bytes } = await index.size();
    expect(rows).toBe(3);
    expect(bytes).toBeGreaterThan(4_096);
    await index.removeThread("b");
    expect((await index.size()).rows).toBe(2);
  });

  it("removes a thread and keeps the others", async () => {
    const index = await fill(fill(open({ embeddings: new SubjectEmbeddings() })), "t2");
    await index.removeThread("t1");
    expect(await index.search("sparrow", { thread: "t1" })).toEqual([]);
    expect(await index.search("sparrow", { thread: "t2" })).not.toEqual([]);
    expect(await index.missing("t1", ["/context/results/0.txt"])).toHaveLength(1);
    expect(await index.missing("t2", ["/context/results/0.txt", "/new"])).toEqual(["/new"]);
  });
});
