import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { tool } from "@langchain/core/tools";
import { END, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { z } from "zod";
import type { OpenSubject } from "./subjects.js";
import { texts } from "./texts.js";

const thread = { configurable: { thread_id: "bench" }, recursionLimit: 1e6 };
/** Returns the bytes stored by rounds of four parallel tool calls of 2 KB in createAgent v2. */
export async function agentCalls(open: OpenSubject, rounds = 100): Promise<number> {
  const { saver, finish } = await open();
  const next = texts("random");
  const fetch = tool(() => next(), {
    name: "fetch",
    description: "fetches",
    schema: z.object({ page: z.number() }),
  });
  let model = fakeModel();
  for (let round = 0; round < rounds; round++) {
    const calls = [1, 2, 3, 4].map((page) => ({
      name: "fetch",
      args: { page },
      id: `call-${round}-${page}`,
      type: "tool_call" as const,
    }));
    model = model.respond(new AIMessage({ content: "", tool_calls: calls }));
  }
  const agent = createAgent({
    model: model.respond(new AIMessage("done")),
    tools: [fetch],
    checkpointer: saver,
    version: "v2",
  });
  await agent.invoke({ messages: [new HumanMessage("go")] }, thread);
  return finish();
}

/** Measures one tool result of 50 MB in createAgent: bytes stored for each byte of it, and the time of the run. */
export async function hugeResult(
  open: OpenSubject,
): Promise<{ readonly factor: number; readonly ms: number }> {
  const { saver, finish } = await open();
  const size = 50_000_000;
  const piece = texts("random")();
  const result = piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  const fetch = tool(() => result, { name: "fetch", description: "fetches", schema: z.object({}) });
  const model = fakeModel()
    .respond(
      new AIMessage({
        content: "",
        tool_calls: [{ name: "fetch", args: {}, id: "call-1", type: "tool_call" }],
      }),
    )
    .respond(new AIMessage("done"));
  const agent = createAgent({ model, tools: [fetch], checkpointer: saver });
  const start = performance.now();
  await agent.invoke({ messages: [new HumanMessage("go")] }, thread);
  const ms = performance.now() - start;
  return { factor: (await finish()) / size, ms };
}

/** Returns the bytes that an unchanged file of 200 KB in the state adds to each of 100 steps. */
export async function staticFile(open: OpenSubject): Promise<number> {
  const measure = async (content: string): Promise<number> => {
    const { saver, finish } = await open();
    let left = 100;
    const State = new StateSchema({
      files: z.record(z.string(), z.string()).default(() => ({})),
      count: z.number().default(0),
    });
    const graph = new StateGraph(State)
      .addNode("step", ({ count }) => ({ count: count + 1 }))
      .addEdge(START, "step")
      .addConditionalEdges("step", () => (--left > 0 ? "step" : END))
      .compile({ checkpointer: saver });
    await graph.invoke({ files: { "/a": content } }, thread);
    return finish();
  };
  const content = texts("random")().repeat(100).slice(0, 200_000);
  return ((await measure(content)) - (await measure("")) - 200_000) / 100;
}
