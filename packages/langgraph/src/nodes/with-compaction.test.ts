import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  Command,
  MemorySaver,
  MessagesAnnotation,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { estimateTokens, toStoredMessage } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { contextState } from "../run/context-state.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { readingJob, type ReadingJob } from "../testing/reading-job.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { readThread } from "../threads/read-thread.js";
import { withCompaction } from "./with-compaction.js";

type ModelNode = (state: { messages: BaseMessage[] }) => Promise<{ messages: BaseMessage[] }>;

const window = 6_000;

/** The agents of two hosts: one has the channels of compaction, the other one knows nothing of them. */
const hosts = {
  "with the channels": new StateSchema({ messages: MessagesValue, ...contextState }),
  "without the channels": MessagesAnnotation,
} as const;

function agent({ tools }: ReadingJob, state: (typeof hosts)[keyof typeof hosts], callModel: ModelNode) {
  return new StateGraph(state as typeof MessagesAnnotation)
    .addNode("model", callModel)
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "model")
    .compile({ checkpointer: new MemorySaver() });
}

function callOf({ model }: Pick<ReadingJob, "model">): ModelNode {
  return async ({ messages }) => ({ messages: [await model.invoke(messages)] });
}

/** Returns the contents of messages in stored form. */
function contents(list: readonly { readonly data: object }[]): readonly unknown[] {
  return list.map(({ data }) => (data as { readonly content: unknown }).content);
}

/** A model node that says where to go. */
async function replyAndGoOn({ messages }: { messages: BaseMessage[] }) {
  const reply = new AIMessage({ id: "reply", content: `${messages.length} messages` });
  return new Command({ goto: "after", update: { messages: [reply] } });
}

/** Plays the reading of a book with the model node as `wrap` makes it. */
async function played(state: (typeof hosts)[keyof typeof hosts], wrap: (node: ModelNode) => ModelNode) {
  const job = readingJob({ pages: 20 });
  const graph = agent(job, state, wrap(callOf(job)));
  const stream = await graph.stream(
    { messages: [job.ask("atlas")] },
    { ...inThread("t"), streamMode: "updates" },
  );
  const nodes: string[] = [];
  for await (const update of stream) nodes.push(...Object.keys(update));
  return { job, graph, nodes };
}

describe.each(Object.entries(hosts))("a wrapped model node in a graph %s", (_, state) => {
  it("keeps every prompt in the window and loses no byte, in the steps of the node alone", async () => {
    const files = VirtualFilesystem.inMemory();
    const types = new Set<string>();
    const onEvent = ({ type }: { readonly type: string }) => types.add(type);
    const options = { files, contextWindow: window, summaryModel: "none", onEvent } as const;
    const bare = await played(state, (node) => node);
    const { job, graph, nodes } = await played(state, (node) => withCompaction(node, options));
    expect(nodes).toEqual(bare.nodes);
    expect(types).toContain("context.compaction");
    expect(Math.max(...job.model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(window);
    expect(job.model.prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
    const thread = await readThread(graph, inThread("t"), { files });
    expect(contents(thread.map((message) => toStoredMessage(message)))).toEqual(
      contents(job.thread("atlas")),
    );
  });

  it("calls the model once more after an overflow", async () => {
    const model = new ScriptedModel((messages, call) => {
      if (call === 0) throw new ContextOverflowError("prompt is too long");
      return new AIMessage({ id: "reply", content: `${messages.length} messages` });
    });
    const options = {
      files: VirtualFilesystem.inMemory(),
      contextWindow: 200_000,
      summaryModel: "none",
    } as const;
    const graph = agent(
      { ...readingJob({ pages: 1 }), model },
      state,
      withCompaction(callOf({ model }), options),
    );
    const past = [...history({ steps: 20 }), new AIMessage("Found."), new HumanMessage("Go on.")];
    const { messages } = await graph.invoke({ messages: past }, inThread("t"));
    const [refused = [], sent = []] = model.prompts;
    expect(estimateTokens(sent)).toBeLessThan(estimateTokens(refused));
    expect(messages.map(({ id }) => id)).toEqual([...sent.map(({ id }) => id), "reply"]);
  });

  it("leaves what a command says, and streams the reply and no stand-in", async () => {
    const job = readingJob({ pages: 1 });
    const options = {
      files: VirtualFilesystem.inMemory(),
      contextWindow: window,
      summaryModel: "none",
    } as const;
    const visited: string[] = [];
    const graph = new StateGraph(state as typeof MessagesAnnotation)
      .addNode("model", withCompaction(replyAndGoOn, options), { ends: ["after"] })
      .addNode("after", () => {
        visited.push("after");
        return {};
      })
      .addEdge(START, "model")
      .compile({ checkpointer: new MemorySaver() });
    const past = [
      ...history({ steps: 40, result: (step) => filler(300, step) }),
      new AIMessage("Found."),
      job.ask("atlas"),
    ];
    const stream = await graph.stream({ messages: past }, { ...inThread("t"), streamMode: "messages" });
    const streamed: (string | undefined)[] = [];
    for await (const [message] of stream) streamed.push(message.id);
    const { values } = await graph.getState(inThread("t"));
    const { messages } = values as { messages: BaseMessage[] };
    expect(visited).toEqual(["after"]);
    expect(streamed).toEqual(["reply"]);
    expect(messages.at(-1)?.id).toBe("reply");
    expect(messages.length).toBeLessThan(past.length);
  });
});

it("keeps the thread whole with an outputKey", async () => {
  const job = readingJob({ pages: 20 });
  const files = VirtualFilesystem.inMemory();
  const options = { files, contextWindow: window, summaryModel: "none", outputKey: "context" } as const;
  const state = new StateSchema({ messages: MessagesValue, context: MessagesValue, ...contextState });
  const callModel = async ({ context }: { context: BaseMessage[] }) => ({
    messages: [await job.model.invoke(context)],
  });
  const graph = new StateGraph(state)
    .addNode("model", withCompaction(callModel, options) as never)
    .addNode("tools", new ToolNode(job.tools))
    .addEdge(START, "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "model")
    .compile();
  const { messages } = await graph.invoke({ messages: [job.ask("atlas")] }, inThread("t"));
  expect(messages).toHaveLength(job.thread("atlas").length);
  expect(Math.max(...job.model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(window);
});

it("refuses what is no function", () => {
  const options = { files: VirtualFilesystem.inMemory(), contextWindow: window };
  expect(() => withCompaction({ invoke: () => ({}) } as never, options)).toThrow(
    "pass the function of the model node",
  );
});
