import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  Command,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  task,
  type LangGraphRunnableConfig,
} from "@langchain/langgraph";
import { estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { compactionNode } from "./compaction-node.js";
import { withCompaction } from "./with-compaction.js";

interface Messages {
  readonly messages: BaseMessage[];
}
type ModelNode = (state: Messages, config: LangGraphRunnableConfig) => Promise<Messages>;

const window = 6_000;
const thread = inThread("t");
const past: readonly BaseMessage[] = Array.from({ length: 28 }, (_, at) => {
  const fields = { id: `past-${at}`, content: filler(250, at) };
  return at % 2 === 0 ? new HumanMessage(fields) : new AIMessage(fields);
});

/** Answers; a context that fits the window shows that it compacts. */
function agentNode(call: ModelNode = reply): ModelNode {
  const options = { files: VirtualFilesystem.inMemory(), contextWindow: window };
  return withCompaction(async (state, config) => {
    expect(estimateTokens(state.messages)).toBeLessThan(window);
    return call(state, config);
  }, options);
}

async function reply(): Promise<Messages> {
  return { messages: [new AIMessage({ id: "reply", content: "So it is." })] };
}

/** Writes a message some time after the agent has compacted. */
async function note(): Promise<Messages> {
  await pause(60);
  return { messages: [new AIMessage({ id: "note", content: "Noted." })] };
}

/** Does something before a node runs. */
function afterwards(first: () => unknown, node: () => Promise<Messages>): ModelNode {
  return async () => {
    await first();
    return node();
  };
}

/** Fails or waits in the first run of its step. */
function secondTime(node: ModelNode, first: () => void): ModelNode {
  let runs = 0;
  return async (state, config) => {
    if (runs++ === 0) first();
    return node(state, config);
  };
}

function fail(): never {
  throw new Error("The network is down.");
}

const look = task("look", async () => "seen");
const besides = (agent: ModelNode, writer: ModelNode) =>
  new StateGraph(MessagesAnnotation)
    .addNode("agent", agent)
    .addNode("writer", writer)
    .addEdge(START, "agent")
    .addEdge(START, "writer")
    .compile({ checkpointer: new MemorySaver() });

type Graph = ReturnType<typeof besides>;
const noRun = async () => undefined;
const resumed = (graph: Graph) => graph.invoke(null, thread);

/** Graphs whose agent compacts beside a node that writes, and how a run of them goes on. */
const hosts: Readonly<Record<string, readonly [() => Graph, (graph: Graph) => Promise<unknown>]>> = {
  "a node behind a join of edges": [
    () =>
      new StateGraph(MessagesAnnotation)
        .addNode("one", () => ({}))
        .addNode("two", () => ({}))
        .addNode("agent", agentNode())
        .addNode("writer", note)
        .addEdge(START, "one")
        .addEdge(START, "two")
        .addEdge(["one", "two"], "writer")
        .addEdge("two", "agent")
        .compile({ checkpointer: new MemorySaver() }) as never,
    noRun,
  ],
  "a node that a command leads to": [
    () =>
      new StateGraph(MessagesAnnotation)
        .addNode("ask", () => interrupt("Go on?"), { ends: ["writer"] })
        .addNode("agent", agentNode())
        .addNode("writer", note)
        .addEdge(START, "ask")
        .addEdge("ask", "agent")
        .compile({ checkpointer: new MemorySaver() }) as never,
    (graph) => graph.invoke(new Command({ goto: ["agent", "writer"] }), thread),
  ],
  "a node that a send leads to": [
    () =>
      new StateGraph(MessagesAnnotation)
        .addNode("plan", () => ({}))
        .addNode("agent", agentNode())
        .addNode("writer", note)
        .addEdge(START, "plan")
        .addConditionalEdges("plan", () => [new Send("writer", {}), "agent"] as never, ["writer", "agent"])
        .compile({ checkpointer: new MemorySaver() }) as never,
    noRun,
  ],
  "a node that runs again after an interrupt of both": [
    () =>
      besides(
        agentNode(afterwards(() => interrupt("agent?"), reply)),
        afterwards(() => interrupt("writer?"), note),
      ),
    async (graph) => {
      const { tasks } = await graph.getState(thread);
      const asked = tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => [id, "yes"]));
      await graph.invoke(new Command({ resume: Object.fromEntries(asked) }), thread);
    },
  ],
  "a node that runs again after a failure": [
    () => besides(agentNode(afterwards(() => pause(20), reply)), secondTime(note, fail)),
    resumed,
  ],
  "a node that runs again after a failure of both": [
    () => besides(agentNode(secondTime(reply, fail)), secondTime(note, fail)),
    resumed,
  ],
  "a node, if the agent calls a task": [() => besides(agentNode(afterwards(look, reply)), note), noRun],
};

it.each(Object.entries(hosts))("a compaction drops nothing of %s", async (_, [create, goOn]) => {
  const graph = create();
  await graph.invoke({ messages: [...past] }, thread).catch((error: Error) => error);
  await goOn(graph);
  const { messages } = (await graph.getState(thread)).values as Messages;
  expect(messages.map(({ id }) => id)).toEqual(expect.arrayContaining(["note", "reply"]));
});

it("a compaction beside a deferred node that waits is in the messages that the model node reads", async () => {
  const model = new ScriptedModel(() => new AIMessage({ id: "reply", content: "So it is." }));
  const files = VirtualFilesystem.inMemory();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("begin", () => ({}))
    .addNode("compact", compactionNode({ files, contextWindow: window }))
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("last", note, { defer: true })
    .addEdge(START, "begin")
    .addEdge("begin", "last")
    .addEdge("begin", "compact")
    .addEdge("compact", "model")
    .compile({ checkpointer: new MemorySaver() });
  const { messages } = await graph.invoke({ messages: [...past] }, thread);
  expect(estimateTokens(model.prompts[0] ?? [])).toBeLessThan(window);
  expect(messages.slice(-2).map(({ id }) => id)).toEqual(["reply", "note"]);
});

it("a compaction drops nothing of other tasks in a later run that stores its checkpoints at the end", async () => {
  const graph = besides(agentNode(), note);
  const atEnd = { ...thread, durability: "exit" as const };
  await graph.invoke({ messages: [new HumanMessage({ id: "first", content: "Hello" })] }, atEnd);
  const { messages } = await graph.invoke({ messages: [...past] }, atEnd);
  expect(messages.map(({ id }) => id)).toEqual(["first", "reply", "note", ...past.map(({ id }) => id)]);
});

it.each(["exit", "sync"] as const)(
  "a rewrite with the durability %s asks no more than twice for a checkpoint",
  async (durability) => {
    const checkpointer = new MemorySaver();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", agentNode())
      .addEdge(START, "agent")
      .compile({ checkpointer });
    const reads = vi.spyOn(checkpointer, "getTuple");
    const { messages } = await graph.invoke({ messages: [...past] }, { ...thread, durability });
    expect(messages.length).toBeLessThan(past.length);
    // The first read is the graph's own.
    expect(reads.mock.calls.length).toBeLessThanOrEqual(3);
  },
);
