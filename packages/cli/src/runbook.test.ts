import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { unfold } from "@palimpsest/context";
import { compactionNode, contextState } from "@palimpsest/langgraph";
import Database from "libsql";
import { copyFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { run } from "./testing/run.js";
import { commandsOf, runbook } from "./testing/runbook.js";
import { newPath, removePaths, writeThread } from "./testing/written-storage.js";

/** What has happened to the storage, by section: a statement that damages it. */
const happened: Readonly<Record<string, string | undefined>> = {
  "The disk is full": undefined,
  "A key is lost": "DELETE FROM files WHERE path LIKE '/threads/one/keys/%'",
  "The database was restored from yesterday": undefined,
  "A thread does not open":
    "UPDATE checkpoints SET data = zeroblob(length(data)) WHERE seq = (SELECT max(seq) FROM checkpoints WHERE space = (SELECT id FROM spaces WHERE thread = 'one' AND name = ''))",
  "A secret stands in a thread": undefined,
  "Moving to another host": undefined,
};

const intact = newPath("agent.db");

beforeAll(async () => {
  const saver = VfsSaver.fromPath(intact);
  for (const thread of ["one", "two"]) await writeThread(saver, thread, 8);
  await saver.close();
});
afterAll(removePaths);

it("every section of the runbook is played", () => {
  expect([...runbook.keys()]).toEqual(Object.keys(happened));
});

it.each(Object.entries(happened))("the commands of the runbook work: %s", async (heading, sql) => {
  const names = new Map(["agent.db", "backup.db"].map((name) => [name, newPath(name)]));
  for (const path of names.values()) copyFileSync(intact, path);
  if (sql !== undefined) {
    const database = new Database(names.get("agent.db") ?? "");
    database.exec(sql);
    database.close();
  }
  const lines = commandsOf(heading).flat();
  expect(lines.length).toBeGreaterThan(1);
  for (const { args, line, code: expected } of lines) {
    const files = args.map((word) => {
      if (word.endsWith(".db") && !names.has(word)) names.set(word, newPath(word));
      return names.get(word) ?? word;
    });
    const { code, out } = await run(...files);
    expect([line, code]).toEqual([line, expected]);
    expect(out).not.toBe("");
  }
});

it("a client that sends the whole history brings back what a restored database lacks, each message once", async () => {
  const path = newPath("agent.db");
  copyFileSync(intact, path);
  const saver = VfsSaver.fromPath(path);
  const config = { configurable: { thread_id: "one" } };
  const read = async () => {
    const thread: BaseMessage[] = [];
    for await (const message of saver.readThread(config, { unfold })) thread.push(message);
    return thread;
  };
  const yesterday = await read();
  const today = [
    ...yesterday,
    new HumanMessage({ id: "today", content: "And today?" }),
    new AIMessage({ id: "said-today", content: "Today as well." }),
    new HumanMessage({ id: "now", content: "Go on." }),
  ];
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("compact", compactionNode({ files: saver.files, contextWindow: 4_000, keep: { messages: 4 } }))
    .addEdge(START, "compact")
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: today }, config);
  expect((await read()).map(({ id }) => id)).toEqual(today.map(({ id }) => id));
  await saver.close();
  expect((await run("verify", path)).code).toBe(0);
});
