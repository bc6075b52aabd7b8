import type { AgentMiddleware } from "langchain";
import { GraphRecursionError, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { createSupervisor } from "@langchain/langgraph-supervisor";
import { createSwarm } from "@langchain/langgraph-swarm";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { tool } from "@langchain/core/tools";
import { fakeModel } from "@langchain/core/testing";
import { contextState, withCompaction, type ContextEvent } from "@palimpsest/langgraph";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createDeepAgent } from "deepagents";
import { createAgent, summarizationMiddleware } from "langchain";
import { expect, it } from "vitest";
import { LogReader, logTool } from "../shared/log-reader.js";
import { question } from "./host-run.js";

/** LangGraph's own default. */
const recursionLimit = 25;

interface Host {
  invoke(input: { messages: (typeof question)[] }, config: object): Promise<unknown>;
}

let rounds = 0;
const reading = tool(
  async (log) => {
    rounds += 1;
    return logTool.invoke(log);
  },
  { name: logTool.name, description: logTool.description, schema: logTool.schema },
);

/** Builds a host; `onEvent` is set where Palimpsest takes part. */
type Build = (onEvent?: (event: ContextEvent) => void) => Host;

function ours(onEvent: ((event: ContextEvent) => void) | undefined, host?: "deepagents"): AgentMiddleware[] {
  if (onEvent === undefined) return [];
  const named = host === undefined ? {} : { host };
  const options = { files: VirtualFilesystem.inMemory(), contextWindow: 12_000, onEvent, ...named };
  return [contextMiddleware({ ...options, summaryModel: "none" })];
}

function readerOf(onEvent?: (event: ContextEvent) => void) {
  return createAgent({ name: "reader", model: new LogReader(), tools: [reading], middleware: ours(onEvent) });
}

const stateGraph: Build = (onEvent) => {
  const withTools = new LogReader().bindTools([reading]);
  const callModel = async ({ messages }: { messages: Parameters<LogReader["invoke"]>[0] }) => ({
    messages: [await withTools.invoke(messages)],
  });
  const options = { files: VirtualFilesystem.inMemory(), contextWindow: 12_000 };
  const node = onEvent === undefined ? callModel : withCompaction(callModel, { ...options, onEvent });
  return new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("model", node)
    .addNode("tools", new ToolNode([reading]))
    .addEdge(START, "model")
    .addEdge("tools", "model")
    .addConditionalEdges("model", toolsCondition)
    .compile();
};

const deepAgent: Build = (onEvent) =>
  createDeepAgent({
    model: new LogReader(),
    tools: [reading],
    middleware: ours(onEvent, "deepagents"),
  });

const supervisor: Build = (onEvent) =>
  createSupervisor({
    agents: [readerOf(onEvent).graph] as never[],
    llm: fakeModel().respondWithTools([{ name: "transfer_to_reader", args: {} }]),
  }).compile();

const swarm: Build = (onEvent) =>
  createSwarm({
    agents: [readerOf(onEvent).graph] as never[],
    defaultActiveAgent: "reader",
  }).compile();

/** Returns how many logs were read when the graph reached its recursion limit. */
async function roundsOf(build: Build, onEvent?: (event: ContextEvent) => void): Promise<number> {
  rounds = 0;
  const config = { configurable: { thread_id: "t" }, recursionLimit };
  await expect(build(onEvent).invoke({ messages: [question] }, config)).rejects.toThrow(GraphRecursionError);
  return rounds;
}

it.each<[string, Build]>([
  ["a StateGraph whose model node is wrapped", stateGraph],
  ["createAgent", readerOf as Build],
  ["a deep agent", deepAgent],
  ["an agent of a supervisor", supervisor],
  ["an agent of a swarm", swarm],
])("%s takes as many rounds of tools within the recursion limit as without Palimpsest", async (_, build) => {
  const events: ContextEvent[] = [];
  const without = await roundsOf(build);
  expect(without).toBeGreaterThan(7);
  expect(await roundsOf(build, (event) => events.push(event))).toBe(without);
  expect(events.some(({ type }) => type === "context.compaction")).toBe(true);
});

it("langchain's own summarization takes a step of each round", async () => {
  const plain = await roundsOf(readerOf);
  const summarized = await roundsOf(() => {
    const model = new LogReader();
    const middleware = [summarizationMiddleware({ model, trigger: { tokens: 12_000 } } as never)];
    return createAgent({ model, tools: [reading], middleware: middleware as never }) as unknown as Host;
  });
  expect({ plain, summarized }).toEqual({ plain: 12, summarized: 8 });
});
