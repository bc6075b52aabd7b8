import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { fakeModel } from "@langchain/core/testing";
import {
  Command,
  END,
  MessagesValue,
  Send,
  START,
  StateGraph,
  StateSchema,
  interrupt,
} from "@langchain/langgraph";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { deltaRuns } from "../testing/delta-runs.js";
import { testedSavers } from "../testing/savers.js";

const text = (messages: readonly BaseMessage[]): unknown[] => messages.map(({ content }) => content);

function looping(steps: number) {
  const State = new StateSchema({ messages: MessagesValue });
  return new StateGraph(State)
    .addNode("step", ({ messages }) => ({ messages: [new AIMessage(`answer ${messages.length}`)] }))
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ messages }) => (messages.length <= steps ? "step" : END));
}

describe.each(testedSavers)("graphs on $name", ({ create }) => {
  it.each(["sync", "async", "exit"] as const)(
    "resume with their last state, durability %s",
    async (durability) => {
      const saver = await create();
      const graph = looping(40).compile({ checkpointer: saver });
      const config = { configurable: { thread_id: "t" }, recursionLimit: 100, durability };
      const live = await graph.invoke({ messages: [new HumanMessage("hi")] }, config);
      const stored = await graph.getState(config);
      expect(stored.values).toEqual(live);
      const more = await graph.invoke({ messages: [new HumanMessage("again")] }, config);
      expect(text(more.messages)).toEqual([...text(live.messages), "again", "answer 42"]);
      await saver.close();
    },
  );

  it("fork and travel in time, with the values of that time", async () => {
    const saver = await create();
    const graph = looping(30).compile({ checkpointer: saver });
    const config = { configurable: { thread_id: "t" }, recursionLimit: 100 };
    await graph.invoke({ messages: [new HumanMessage("hi")] }, config);
    const history = [];
    for await (const state of graph.getStateHistory(config)) history.push(state);
    const then = history.find(({ values }) => values.messages?.length === 20);
    expect(text(then?.values.messages)).toEqual([
      "hi",
      ...Array.from({ length: 19 }, (_, index) => `answer ${index + 1}`),
    ]);

    const forked = await graph.updateState(
      then?.config ?? config,
      { messages: [new AIMessage("other")] },
      "step",
    );
    const branch = await graph.invoke(null, { ...forked, recursionLimit: 100 });
    expect(text(branch.messages).slice(19, 22)).toEqual(["answer 19", "other", "answer 21"]);
    const old = await graph.getState(history[0]?.config ?? config);
    expect(text(old.values.messages)[20]).toBe("answer 20");
    await saver.close();
  });

  it("interrupt and resume", async () => {
    const saver = await create();
    const graph = new StateGraph(new StateSchema({ messages: MessagesValue, answer: z.string().optional() }))
      .addNode("ask", () => ({ answer: interrupt<string, string>("a question") }))
      .addEdge(START, "ask")
      .compile({ checkpointer: saver });
    const config = { configurable: { thread_id: "t" } };
    const asked = await graph.invoke({ messages: [new HumanMessage("hi")] }, config);
    expect(asked).toMatchObject({ __interrupt__: [{ value: "a question" }] });
    expect(await graph.invoke(new Command({ resume: "yes" }), config)).toMatchObject({ answer: "yes" });
    await saver.close();
  });

  it("keep the states of subgraphs and of Sends apart", async () => {
    const saver = await create();
    const State = new StateSchema({ messages: MessagesValue });
    const inner = new StateGraph(State)
      .addNode("deep", ({ messages }) => ({ messages: [new AIMessage(`deep ${messages.length}`)] }))
      .addEdge(START, "deep")
      .compile();
    const graph = new StateGraph(State)
      .addNode("fan", () => ({}))
      .addNode("part", ({ messages }: { messages: BaseMessage[] }) => ({
        messages: [new AIMessage(`part of ${messages.length}`)],
      }))
      .addNode("inner", inner)
      .addEdge(START, "fan")
      .addConditionalEdges("fan", (state) => [1, 2, 3].map(() => new Send("part", { ...state })), ["part"])
      .addEdge("part", "inner")
      .compile({ checkpointer: saver });
    const config = { configurable: { thread_id: "t" } };
    const live = await graph.invoke(
      { messages: Array.from({ length: 40 }, () => new HumanMessage("m")) },
      config,
    );
    expect(text(live.messages).slice(40)).toEqual(["part of 40", "part of 40", "part of 40", "deep 43"]);
    expect((await graph.getState(config)).values).toEqual(live);
    const states = [];
    for await (const state of graph.getStateHistory(config)) states.push(state);
    expect(states.length).toBeGreaterThan(3);
    await saver.close();
  });

  it.each(["v1", "v2"] as const)("run createAgent %s with parallel tools", async (version) => {
    const saver = await create();
    const echo = tool(({ word }) => `echo ${word}`, {
      name: "echo",
      description: "echoes",
      schema: z.object({ word: z.string() }),
    });
    const model = fakeModel()
      .respondWithTools(["a", "b", "c"].map((word) => ({ name: "echo", args: { word }, id: `call-${word}` })))
      .respond(new AIMessage("done"));
    const agent = createAgent({ model, tools: [echo], checkpointer: saver, version });
    const config = { configurable: { thread_id: "t" } };
    const live = await agent.invoke({ messages: [new HumanMessage("go")] }, config);
    expect(text(live.messages)).toEqual(["go", "go", "echo a", "echo b", "echo c", "done"]);
    const stored = await agent.graph.getState(config);
    expect(text(stored.values["messages"])).toEqual(text(live.messages));
    await saver.close();
  });

  it("rebuild delta channels exactly, with parallel writers", async () => {
    const saver = await create();
    const { live, rebuilt } = await deltaRuns(saver, 8);
    expect(rebuilt).toHaveLength(8);
    expect(rebuilt).toEqual(live);
    await saver.close();
  });
});
