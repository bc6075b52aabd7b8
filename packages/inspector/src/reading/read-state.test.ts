import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { expect, it } from "vitest";
import { readState, stepsOf, unfoldState } from "./read-state.js";
import { ThreadHistory } from "./timeline/thread-history.js";

it("an agent that a node of another graph runs with a thread of its own is read like any other", async () => {
  const saver = VfsSaver.inMemory();
  const State = new StateSchema({ messages: MessagesValue });
  const inner = new StateGraph(State)
    .addNode("answer", () => ({ messages: [new AIMessage("found")] }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });
  const outer = new StateGraph(State)
    .addNode("delegate", async () => {
      const config = { configurable: { thread_id: "inner" } };
      const { messages } = await inner.invoke({ messages: [new HumanMessage("find it")] }, config);
      return { messages: messages.slice(-1) };
    })
    .addEdge(START, "delegate")
    .compile({ checkpointer: saver });
  await outer.invoke({ messages: [new HumanMessage("go")] }, { configurable: { thread_id: "outer" } });
  const state = await readState(saver, "inner");
  const texts = (await unfoldState(saver, state)).map(({ text }) => text);
  expect(texts).toEqual(["find it", "found"]);
  expect((await readState(saver, "outer")).context.map(({ text }) => text)).toEqual(["go", "found"]);
  const history = new ThreadHistory(saver, "inner");
  await history.read();
  expect(history.rows).toHaveLength((await stepsOf(saver, "inner")).length);
  expect(history.rows.length).toBeGreaterThan(2);
});
