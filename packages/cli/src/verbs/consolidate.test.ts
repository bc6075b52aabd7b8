import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { afterAll, expect, it } from "vitest";
import { json, run } from "../testing/run.js";
import { newPath, removePaths, writeThreads } from "../testing/written-storage.js";

afterAll(removePaths);

const fact = "The budget of the Lisbon trip is 4,000 euros.";

/** Adds a thread in which the user states something. */
async function writeFact(path: string, threadId: string): Promise<void> {
  const saver = VfsSaver.fromPath(path);
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("agent", () => ({ messages: [new AIMessage("Noted.")] }))
    .addEdge(START, "agent")
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: [new HumanMessage(fact)] }, { configurable: { thread_id: threadId } });
  await saver.close();
}

interface Consolidated {
  readonly threads: number;
  readonly recorded: number;
  readonly turns: number;
  readonly chosen: readonly { readonly threadId: string; readonly text: string; readonly path: string }[];
}

it("makes notes of the threads that are named, and of those that the scope has", async () => {
  const path = newPath();
  await writeThreads(path);
  await writeFact(path, "three");
  const first = await json<Consolidated>("consolidate", path, "ada", "one", "three");
  expect(first).toMatchObject({ threads: 2 });
  expect(first.recorded).toBeGreaterThan(2);
  expect(first.turns).toBe(first.recorded);
  expect(first.chosen.map(({ text }) => text)).toContain(fact);
  for (const note of first.chosen) expect(note.path).toMatch(`/threads/${note.threadId}/turns/`);
  expect(await json<Consolidated>("consolidate", path, "ada")).toMatchObject({
    threads: 2,
    recorded: 0,
    turns: 0,
  });
  const { out } = await run("consolidate", path, "ada");
  expect(out).toContain("ada: 2 threads, 0 turns recorded, 0 turns read");
  expect(out).not.toContain("\u001b[2J");
});

it("refuses a thread of another scope, and one that does not exist", async () => {
  const path = newPath();
  await writeThreads(path);
  await run("consolidate", path, "ada", "one");
  const other = await run("consolidate", path, "bob", "one");
  expect([other.code, other.err]).toEqual([
    1,
    expect.stringContaining('belongs to another scope than "bob"'),
  ]);
  const none = await run("consolidate", path, "bob", "three");
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('There is no thread "three"')]);
});
