import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { copyFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { looksLike } from "../codec/packing/bundle.js";
import { unpack } from "../codec/packing/pack.js";
import { bytesOf } from "../engines/libsql/columns.js";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { VfsSaver } from "../saver/vfs-saver.js";
import { temporaryPath } from "../testing/savers.js";
import { repairStorage, type ArchiveFormat } from "./repair-storage.js";

const noArchive: ArchiveFormat = { messagesIn: () => [], filesFrom: () => [] };
const path = temporaryPath();

beforeAll(async () => {
  const saver = VfsSaver.fromPath(path);
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("answer", ({ messages }) => ({
      messages: [new AIMessage({ id: `a${messages.length}`, content: `answer ${messages.length}` })],
    }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });
  for (let turn = 0; turn < 30; turn++) {
    const messages = [new HumanMessage({ id: `h${turn}`, content: `question ${turn}` })];
    await graph.invoke({ messages }, { configurable: { thread_id: "talk" } });
  }
  await saver.close();
});

function isPage(bytes: Buffer): boolean {
  return looksLike(bytes) === "page" || bytes.toString().startsWith('{"n":');
}

/** Returns the rows of the pages of lists, and of the lists of pages. */
function pageRows(): readonly number[] {
  const database = new LibsqlDatabase(path, { readOnly: true });
  const rows = database.all("SELECT id, data FROM blobs WHERE length(data) > 7");
  database.close();
  return rows.filter(({ data }) => isPage(unpack(bytesOf(data)))).map(({ id }) => Number(id));
}

async function allOf(file: string): Promise<string> {
  const saver = VfsSaver.fromPath(file);
  const tuples: unknown[] = [];
  for await (const tuple of saver.list({ configurable: { thread_id: "talk" } })) tuples.push(tuple);
  await saver.close();
  return JSON.stringify(tuples);
}

describe("a repair", () => {
  it("rebuilds a page of a list from the checkpoint before it and its writes", async () => {
    const [rows, intact] = [pageRows(), await allOf(path)];
    expect(rows.length).toBeGreaterThan(10);
    for (const id of rows.filter((_, index) => index % 9 === 0)) {
      const copy = temporaryPath();
      copyFileSync(path, copy);
      const database = new LibsqlDatabase(copy);
      database.run("DELETE FROM blobs WHERE id = ?", id);
      database.close();
      const restored = await repairStorage(copy, noArchive);
      expect(restored).toEqual([
        {
          threadId: "talk",
          what: expect.stringMatching(/^value /u),
          from: expect.stringMatching(/^the checkpoint \S+ of the thread "talk" and its writes$/u),
        },
      ]);
      expect(await allOf(copy)).toBe(intact);
    }
  });

  it("ends where a restored value is lost again, as in a damaged page, and tells of it once", async () => {
    const copy = temporaryPath();
    copyFileSync(path, copy);
    const database = new LibsqlDatabase(copy);
    database.run("DELETE FROM blobs WHERE id = ?", pageRows()[0] ?? 0);
    database.exec("CREATE TRIGGER lose AFTER INSERT ON blobs BEGIN DELETE FROM blobs WHERE id = NEW.id; END");
    database.close();
    const restored = await repairStorage(copy, noArchive);
    expect(restored).toHaveLength(1);
    expect(restored[0]?.what).toMatch(/^value /u);
    await expect(allOf(copy)).rejects.toMatchObject({ code: "missing-blob" });
  });

  it("restores nothing in an intact file", async () => {
    const copy = temporaryPath();
    copyFileSync(path, copy);
    expect(await repairStorage(copy, noArchive)).toEqual([]);
    expect(await allOf(copy)).toBe(await allOf(path));
  });
});
