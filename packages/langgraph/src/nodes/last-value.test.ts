import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  MemorySaver,
  START,
  StateGraph,
  StateSchema,
  type MessagesAnnotation,
} from "@langchain/langgraph";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { foldNode } from "../folding/fold-node.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { compactThread, readThread, unfoldThread } from "../threads/index.js";
import { compactionNode } from "./compaction-node.js";
import type { GraphNode } from "./step-node.js";
import { withCompaction } from "./with-compaction.js";

interface Messages {
  readonly messages: BaseMessage[];
}
type ModelNode = (state: Messages) => Promise<Messages>;

const window = 6_000;
const turns = 40;
const thread = inThread("t");
const states = {
  "an annotation without a reducer": Annotation.Root({ messages: Annotation<BaseMessage[]>() }),
  "a schema without a reducer": new StateSchema({ messages: z.array(z.custom<BaseMessage>()) }),
  "a reducer that takes the newest list": Annotation.Root({
    messages: Annotation<BaseMessage[]>({ reducer: (_, list) => list, default: () => [] }),
  }),
} as unknown as Readonly<Record<string, typeof MessagesAnnotation>>;

type Options = Parameters<typeof compactionNode>[0];
type Wire = (state: typeof MessagesAnnotation, call: ModelNode, options: Options) => unknown;

function before(node: (options: Options) => GraphNode): Wire {
  return (state, call, options) =>
    new StateGraph(state)
      .addNode("compact", node(options))
      .addNode("model", call)
      .addEdge(START, "compact")
      .addEdge("compact", "model")
      .compile({ checkpointer: new MemorySaver() });
}

const hosts: Readonly<Record<string, Wire>> = {
  compactionNode: before(compactionNode),
  foldNode: before(({ files }) => foldNode({ files, contextWindow: window })),
  withCompaction: (state, call, options) =>
    new StateGraph(state)
      .addNode("model", withCompaction(call, options))
      .addEdge(START, "model")
      .compile({ checkpointer: new MemorySaver() }),
};
type Graph = ReturnType<ReturnType<typeof graphOf>["compile"]>;
const graphOf = (state: typeof MessagesAnnotation) =>
  new StateGraph(state).addNode("model", () => ({})).addEdge(START, "model");

/** Plays a conversation whose host passes and returns the whole list. */
async function played(state: typeof MessagesAnnotation, wire: Wire) {
  const files = VirtualFilesystem.inMemory();
  const options = { files, contextWindow: window };
  const model = new ScriptedModel((_, at) => new AIMessage({ id: `a${at}`, content: filler(200, at) }));
  const call: ModelNode = async ({ messages }) => ({
    messages: [...messages, await model.invoke(messages)],
  });
  const graph = wire(state, call, options) as Graph;
  let list: readonly BaseMessage[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const asked = new HumanMessage({ id: `q${turn}`, content: filler(100, turn) });
    ({ messages: list } = await graph.invoke({ messages: [...list, asked] }, thread));
  }
  return { graph, files, options, model, list };
}

const ids = (messages: readonly BaseMessage[]) => messages.map(({ id }) => id);
const conversation = Array.from({ length: turns }, (_, turn) => [`q${turn}`, `a${turn}`]).flat();

describe.each(Object.entries(states))("%s", (_, state) => {
  it.each(Object.entries(hosts))("holds the context as a list, and the run goes on: %s", async (__, wire) => {
    const { graph, files, model, list } = await played(state, wire);
    expect(list.filter((message) => foldOf(message) !== undefined).length).toBeGreaterThan(0);
    expect(Math.max(...model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(window);
    expect(ids(await readThread(graph, thread, { files }))).toEqual(conversation);
  });

  it("is compacted and unfolded between two runs", async () => {
    const { graph, files, options } = await played(state, graphOfCalls);
    expect((await compactThread(graph, thread, { ...options, keep: { messages: 4 } })).applied).toBe(true);
    const { messages } = (await graph.getState(thread)).values;
    expect(messages.length).toBeLessThan(conversation.length);
    expect(ids(await readThread(graph, thread, { files }))).toEqual(conversation);
    await unfoldThread(graph, thread, { ...options, force: true });
    expect(ids((await graph.getState(thread)).values.messages)).toEqual(conversation);
  });
});

function graphOfCalls(state: typeof MessagesAnnotation, call: ModelNode): unknown {
  return new StateGraph(state)
    .addNode("model", call)
    .addEdge(START, "model")
    .compile({ checkpointer: new MemorySaver() });
}
