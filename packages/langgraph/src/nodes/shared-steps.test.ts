import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesAnnotation,
  MessagesValue,
  Send,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { foldNode } from "../folding/fold-node.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import { contextState } from "../run/context-state.js";
import { contextIn } from "../run/node-state.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { compactionNode } from "./compaction-node.js";
import { withCompaction } from "./with-compaction.js";

const window = 6_000;
const turns = 14;
const thread = inThread("shared");

/** The agents of two hosts: one has the channels of compaction, the other one knows nothing of them. */
const states = {
  "with the channels": new StateSchema({
    messages: MessagesValue,
    ...contextState,
  }) as never as typeof MessagesAnnotation,
  "without the channels": MessagesAnnotation,
};
const savers = {
  "no checkpointer": () => false as const,
  MemorySaver: () => new MemorySaver(),
};

interface Messages {
  readonly messages: BaseMessage[];
}

type ModelNode = (state: Messages, config: LangGraphRunnableConfig) => Promise<Messages>;

function agent(name: string) {
  const model = new ScriptedModel(
    (_, call) => new AIMessage({ id: `${name}-${call}`, content: `${name} ${call}: ${filler(300)}` }),
  );
  const call: ModelNode = async ({ messages }) => ({ messages: [await model.invoke(messages)] });
  return { model, call };
}

/** Writes one message a turn, at once or after some time. */
function writer(ms: number) {
  let count = 0;
  return async () => {
    if (ms > 0) await pause(ms);
    return { messages: [new AIMessage({ id: `note-${count}`, content: `note ${count++}` })] };
  };
}

function ids(messages: readonly BaseMessage[]): readonly string[] {
  return messages.map(({ id }) => id ?? "");
}

function question(turn: number): HumanMessage {
  return new HumanMessage({ id: `question-${turn}`, content: `question ${turn}: ${filler(200)}` });
}

const places = Object.keys(states).flatMap((state) =>
  Object.keys(savers).map((saver) => [state, saver] as const),
) as [keyof typeof states, keyof typeof savers][];

describe("two agents in one step of a graph", () => {
  it.each(places)("keep every message and stay in the window, %s, %s", async (state, saver) => {
    const [first, second] = [agent("first"), agent("second")];
    const options = { files: VirtualFilesystem.inMemory(), contextWindow: window };
    const graph = new StateGraph(states[state])
      .addNode("first", withCompaction(first.call, options))
      .addNode("second", withCompaction(second.call, options))
      .addEdge(START, "first")
      .addEdge(START, "second")
      .compile({ checkpointer: savers[saver]() });
    let values: Messages = { messages: [] };
    for (let turn = 0; turn < turns; turn++) {
      const asked = [question(turn)];
      const input =
        saver === "no checkpointer"
          ? { ...values, messages: [...values.messages, ...asked] }
          : { messages: asked };
      values = await graph.invoke(input, thread);
    }
    const { messages } = values;
    expect(ids(messages)).toEqual(
      Array.from({ length: turns }, (_, turn) => [
        `question-${turn}`,
        `first-${turn}`,
        `second-${turn}`,
      ]).flat(),
    );
    expect(estimateTokens(messages)).toBeGreaterThan(1.5 * window);
    for (const { prompts } of [first.model, second.model]) {
      expect(prompts.some((prompt) => prompt.some((message) => foldOf(message) !== undefined))).toBe(true);
      expect(Math.max(...prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThanOrEqual(window);
    }
  });
});

describe("an agent beside a node that writes messages", () => {
  const cases = places
    .filter(([, saver]) => saver !== "no checkpointer")
    .flatMap(([state, saver]) => [0, 30].map((ms) => [state, saver, ms] as const));

  it.each(cases)("drops none of them, %s, %s, written after %i ms", async (state, saver, ms) => {
    const { model, call } = agent("agent");
    const options = { files: VirtualFilesystem.inMemory(), contextWindow: window };
    const graph = new StateGraph(states[state])
      .addNode("agent", withCompaction(call, options))
      .addNode("writer", writer(ms))
      .addEdge(START, "agent")
      .addEdge(START, "writer")
      .compile({ checkpointer: savers[saver]() });
    let messages: readonly BaseMessage[] = [];
    for (let turn = 0; turn < 2 * turns; turn++)
      ({ messages } = await graph.invoke({ messages: [question(turn)] }, thread));
    const written = ids(messages).filter((id) => id.startsWith("note-"));
    expect(written).toEqual(Array.from({ length: 2 * turns }, (_, turn) => `note-${turn}`));
    expect(Math.max(...model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThanOrEqual(window);
  });

  it.each(["compactionNode", "foldNode", "predictiveContextNode"] as const)(
    "drops none beside %s",
    async (kind) => {
      const files = VirtualFilesystem.inMemory();
      const node = {
        compactionNode: () => compactionNode({ files, contextWindow: window }),
        foldNode: () => foldNode({ files, contextWindow: window }),
        predictiveContextNode: () => predictiveContextNode({ files, budget: window }),
      }[kind]();
      const graph = new StateGraph(states["with the channels"])
        .addNode("context", node as never)
        .addNode("writer", writer(0))
        .addEdge(START, "context")
        .addEdge(START, "writer")
        .compile({ checkpointer: new MemorySaver() });
      let values: Messages = { messages: [] };
      for (let turn = 0; turn < 2 * turns; turn++)
        values = await graph.invoke({ messages: [question(turn)] }, thread);
      const written = ids(values.messages).filter((id) => id.startsWith("note-"));
      expect(written).toHaveLength(2 * turns);
      expect(estimateTokens(contextIn(values))).toBeLessThanOrEqual(window);
    },
  );

  it("shows a fork nothing of what came after it", async () => {
    const { model, call } = agent("agent");
    const options = { files: VirtualFilesystem.inMemory(), contextWindow: window };
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", withCompaction(call, options))
      .addNode("writer", writer(0))
      .addEdge(START, "agent")
      .addEdge(START, "writer")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ messages: [question(0)] }, thread);
    const early = await graph.getState(thread);
    const secret = new HumanMessage({ id: "secret", content: "The vault code is 7401." });
    await graph.invoke({ messages: [secret] }, thread);
    for (let turn = 1; turn < turns; turn++) await graph.invoke({ messages: [question(turn)] }, thread);
    await graph.invoke({ messages: [question(turns)] }, early.config);
    expect(ids(model.prompts.at(-1) ?? [])).toEqual(["question-0", "agent-0", "note-0", `question-${turns}`]);
  });

  it.each(["async", "sync", "exit"] as const)(
    "rewrites the messages in a step of its own, stored %s",
    async (durability) => {
      const { model, call } = agent("agent");
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("compact", compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow: window }))
        .addNode("agent", call)
        .addEdge(START, "compact")
        .addEdge("compact", "agent")
        .compile({ checkpointer: new MemorySaver() });
      for (let turn = 0; turn < 2 * turns; turn++)
        await graph.invoke({ messages: [question(turn)] }, { ...thread, durability });
      expect(Math.max(...model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThanOrEqual(window);
    },
  );

  it("rewrites the messages as soon as it has a step of its own", async () => {
    const { model, call } = agent("agent");
    const options = { files: VirtualFilesystem.inMemory(), contextWindow: window };
    let isAlone = false;
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", withCompaction(call, options))
      .addNode("writer", writer(0))
      .addConditionalEdges(START, () => (isAlone ? ["agent"] : ["agent", "writer"]))
      .compile({ checkpointer: new MemorySaver() });
    for (let turn = 0; turn < turns; turn++) await graph.invoke({ messages: [question(turn)] }, thread);
    isAlone = true;
    const { messages } = await graph.invoke({ messages: [question(turns)] }, thread);
    expect(messages.some((message) => foldOf(message) !== undefined)).toBe(true);
    expect(estimateTokens(messages)).toBeLessThanOrEqual(window);
    expect(estimateTokens(model.prompts.at(-1) ?? [])).toBeLessThanOrEqual(window);
  });
});

describe("an agent that is called with messages of its own", () => {
  const own = Array.from({ length: 40 }, (_, at) =>
    at % 2 === 0
      ? new HumanMessage({ id: `own-${at}`, content: filler(400) })
      : new AIMessage({ id: `own-${at}`, content: filler(400) }),
  );

  it.each(Object.keys(states) as (keyof typeof states)[])(
    "leaves the thread as it is: a send, %s",
    async (state) => {
      const { model, call } = agent("worker");
      const worker = withCompaction(call, { files: VirtualFilesystem.inMemory(), contextWindow: window });
      const graph = new StateGraph(states[state])
        .addNode("worker", worker)
        .addConditionalEdges(START, () => [new Send("worker", { messages: own })])
        .compile({ checkpointer: new MemorySaver() });
      const { messages } = await graph.invoke({ messages: [question(0)] }, thread);
      expect(ids(messages)).toEqual(["question-0", "worker-0"]);
      expect(estimateTokens(model.prompts[0] ?? [])).toBeLessThanOrEqual(window);
    },
  );

  it("leaves the thread as it is: a host that passes its newest messages", async () => {
    const { call } = agent("agent");
    const fitted: ModelNode = withCompaction(call, {
      files: VirtualFilesystem.inMemory(),
      contextWindow: window,
    });
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", async (state, config) =>
        fitted({ ...state, messages: state.messages.slice(-30) }, config),
      )
      .addEdge(START, "agent")
      .compile({ checkpointer: new MemorySaver() });
    const { messages } = await graph.invoke({ messages: [...own, question(0)] }, thread);
    expect(ids(messages)).toEqual([...ids(own), "question-0", "agent-0"]);
  });

  it("lets one node call two agents, where the thread stays whole", async () => {
    const [first, second] = [agent("first"), agent("second")];
    const options = { files: VirtualFilesystem.inMemory(), contextWindow: window, keepThread: true };
    const ask: ModelNode = withCompaction(first.call, options);
    const review: ModelNode = withCompaction(second.call, options);
    const graph = new StateGraph(states["with the channels"])
      .addNode("both", async (state, config) => {
        const reply = await ask(state, config);
        const more = await review({ ...state, messages: [...state.messages, ...reply.messages] }, config);
        return { messages: [...reply.messages, ...more.messages] };
      })
      .addEdge(START, "both")
      .compile({ checkpointer: new MemorySaver() });
    const values = await graph.invoke({ messages: [...own, question(0)] }, thread);
    expect(ids(values.messages)).toEqual([...ids(own), "question-0", "first-0", "second-0"]);
    expect(ids(contextIn(values)).slice(-3)).toEqual(["question-0", "first-0", "second-0"]);
    expect(estimateTokens(contextIn(values))).toBeLessThanOrEqual(window);
  });
});
