import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readState } from "../read-state.js";
import { listLanes } from "./list-lanes.js";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-lanes-"));
let saver: VfsSaver;
const reply = () => ({ messages: [new AIMessage("Done.")] });

/** Runs a graph with a subgraph, whose agent has a thread of its own below that of the graph. */
beforeAll(async () => {
  saver = VfsSaver.fromPath(join(folder, "agent.db"));
  const state = new StateSchema({ messages: MessagesValue });
  const agent = new StateGraph(state).addNode("agent", reply).addEdge(START, "agent").addEdge("agent", END);
  const own = agent.compile({ checkpointer: saver });
  let runs = 0;
  const graph = new StateGraph(state)
    .addNode("first", async () => {
      for (const thread_id of runs++ === 0 ? ["t/one", "called"] : ["t/one"])
        await own.invoke({ messages: [new HumanMessage("Go.")] }, { configurable: { thread_id } });
      return {};
    })
    .addNode("inner", agent.compile())
    .addEdge(START, "first")
    .addNode("unsaved", agent.compile({ checkpointer: false }))
    .addEdge("first", "inner")
    .addEdge("inner", "unsaved")
    .addEdge("unsaved", END)
    .compile({ checkpointer: saver });
  await own.invoke({ messages: [new HumanMessage("Go.")] }, { configurable: { thread_id: "alone" } });
  for (const thread_id of ["t", "tea"])
    await graph.invoke({ messages: [new HumanMessage("Go.")] }, { configurable: { thread_id } });
});
afterAll(async () => {
  await saver.close();
  rmSync(folder, { recursive: true, force: true });
});

it("lists the threads and the subgraphs below a thread, in the order in which they began", async () => {
  const lanes = await listLanes(saver, "t");
  expect(lanes.map(({ name, thread }) => [name.replace(/:.*/u, ""), thread])).toEqual([
    ["one", "t/one"],
    ["inner", null],
  ]);
  expect(lanes.every(({ from, to, checkpoints }) => from <= to && checkpoints > 1)).toBe(true);
});

it("does not list a subgraph that ran without a checkpointer: nothing is stored of it", async () => {
  const lanes = await listLanes(saver, "t");
  expect(lanes.some(({ name }) => name.startsWith("unsaved"))).toBe(false);
  expect((await readState(saver, "t")).context.map(({ text }) => text)).toEqual(["Go.", "Done.", "Done."]);
});

it("lists nothing for a thread without subagents", async () => {
  expect(await listLanes(saver, "alone")).toEqual([]);
});

it("does not list the agent of a thread as its own subagent, although a step of another graph runs it", async () => {
  expect(await listLanes(saver, "called")).toEqual([]);
});
