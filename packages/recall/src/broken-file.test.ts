import { HNSWLib } from "@langchain/community/vectorstores/hnswlib";
import Database from "libsql";
import {
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { describe, expect, it } from "vitest";
import type { RecallEvent } from "./options.js";
import { RecallIndex } from "./recall-index.js";
import { newPath } from "./testing/engines.js";
import { fill, texts } from "./testing/fill.js";
import { SubjectEmbeddings } from "./testing/subject-embeddings.js";

function writeDatabase(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

describe("RecallIndex in a file", () => {
  it("rebuilds a damaged file when it opens it", async () => {
    const path = newPath();
    const options = { embeddings: new SubjectEmbeddings() };
    const first = await fill(RecallIndex.fromPath(path, options));
    await first.search("bird", { thread: "t1" });
    await first.close();
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
    truncateSync(path, 5_000);
    const second = RecallIndex.fromPath(path, options);
    expect(await second.missing("t1", ["/context/results/0.txt"])).toHaveLength(1);
    const [hit] = await (await fill(second)).search("a wing", { thread: "t1" });
    expect(hit?.text).toBe(texts[0]);
  });

  it.each<[string, (path: string) => void]>([
    ["text", (path) => writeFileSync(path, "notes of mine, which are no database".repeat(9))],
    ...["thread(body TEXT)", "passage(body TEXT); CREATE TABLE chapter(name TEXT)"].flatMap((table) =>
      [0, 1, 2].map((version): [string, (path: string) => void] => [
        `a database of version ${version} with ${table}`,
        (path) => writeDatabase(path, `CREATE TABLE ${table}; PRAGMA user_version = ${version}`),
      ]),
    ),
    ["an empty database of another application", (path) => writeDatabase(path, "PRAGMA application_id = 7")],
  ])("refuses %s, and leaves it as it is", (_, write) => {
    const path = newPath();
    write(path);
    const before = readFileSync(path);
    expect(() => RecallIndex.fromPath(path)).toThrow(expect.objectContaining({ code: "not-an-index" }));
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("rebuilds the file, with an event, when a read finds damage", async () => {
    const path = newPath();
    const first = RecallIndex.fromPath(path);
    const passages = Array.from({ length: 2_000 }, (_, at) => `record ${at} of ${at % 7} quokka${at}`);
    await first.add(passages.map((text, at) => ({ thread: "t1", path: "/a", line: at + 1, text })));
    await first.close();
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
    const [hit] = await (await fill(second)).search("sparrow", { thread: "t1" });
    expect(hit?.text).toBe(texts[0]);
    await second.close();
  });

  it.each([
    ["a byte that is no UTF-8", 0xff],
    ["another letter", 0x5a],
  ])("rebuilds the file, with an event, when a text holds %s", async (_, byte) => {
    const path = newPath();
    const first = await fill(RecallIndex.fromPath(path));
    await first.close();
    const database = new Database(path);
    database.pragma("wal_checkpoint(TRUNCATE)");
    database.close();
    const bytes = readFileSync(path);
    for (let at = bytes.indexOf(texts[0] ?? ""); at >= 0; at = bytes.indexOf(texts[0] ?? "", at + 1))
      bytes[at] = byte;
    writeFileSync(path, bytes);
    const events: RecallEvent[] = [];
    const second = RecallIndex.fromPath(path, { onEvent: (event) => events.push(event) });
    await second.search("sparrow", { thread: "t1" });
    expect(events.map(({ type }) => type)).toEqual(["index_rebuilt"]);
    const [hit] = await (await fill(second)).search("sparrow", { thread: "t1" });
    expect(hit?.text).toBe(texts[0]);
    await second.close();
  });

  it("replaces a file of an older version, and leaves one of a newer version unchanged", async () => {
    const path = newPath();
    writeDatabase(path, "CREATE TABLE passage(id INTEGER PRIMARY KEY, words TEXT); PRAGMA user_version = 1");
    const index = await fill(RecallIndex.fromPath(path));
    expect(await index.search("sparrow", { thread: "t1" })).toHaveLength(1);
    await index.close();
    writeDatabase(path, "PRAGMA user_version = 99");
    expect(() => RecallIndex.fromPath(path)).toThrow(/has index version 99/);
  });

  it("refuses contradictory and empty options", async () => {
    await expect(RecallIndex.fromPostgres("")).rejects.toMatchObject({ code: "bad-option" });
    expect(() => RecallIndex.fromPath("")).toThrow(/The path of the index is ""/);
    expect(() => RecallIndex.fromPath("file:agent.recall.db?mode=memory")).toThrow(/is the url "file:agent/);
    const embeddings = new SubjectEmbeddings();
    const vectorStore = new HNSWLib(embeddings, { space: "cosine" });
    expect(() => RecallIndex.inMemory({ embeddings, vectorStore })).toThrow(/give one of them/);
  });
});
