import { HumanMessage } from "@langchain/core/messages";
import { Annotation, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { compactionCondition } from "../conditions/compaction-condition.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { contextInputFor } from "../run/context-state.js";

const options = { files: VirtualFilesystem.inMemory(), contextWindow: 10_000 };
const hello = new HumanMessage({ id: "m1", content: "Hello" });
const Talk = Annotation.Root({ talk: MessagesAnnotation.spec.messages });

it("contextInputFor lets a node read the thread under a key of the host, and registers the channel of the context", async () => {
  const keys = { inputKey: "talk", outputKey: "context" };
  const seen: unknown[] = [];
  const graph = new StateGraph(Talk)
    .addNode("compact", compactionNode({ ...options, ...keys }) as never, {
      input: contextInputFor(keys) as never,
    })
    .addNode("model", ((state: { context?: unknown }) => void seen.push(state.context)) as never, {
      input: contextInputFor(keys) as never,
    })
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .compile();
  await graph.invoke({ talk: [hello] }, inThread("t"));
  expect(seen).toMatchObject([[{ id: "m1" }]]);
});

it("a condition refuses a key that is not a channel, and suggests the right one", async () => {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("compact", () => ({}))
    .addNode("model", () => ({}))
    .addConditionalEdges(START, compactionCondition({ ...options, inputKey: "mesages" }), [
      "compact",
      "model",
    ])
    .compile();
  await expect(graph.invoke({ messages: [hello] }, inThread("t"))).rejects.toThrow("did you mean messages");
});

it("a node that is called directly, inside a node of the host, may have a state of its own", async () => {
  const compact = compactionNode(options);
  const graph = new StateGraph(Talk)
    .addNode("own", async ({ talk }, config) => {
      await compact({ messages: talk }, config);
      return {};
    })
    .addEdge(START, "own")
    .compile();
  await expect(graph.invoke({ talk: [hello] }, inThread("t"))).resolves.toBeDefined();
});

it.each([[{ role: "user", content: "Hello" }], [["human", "Hello"]], [null]])(
  "a node refuses a list of values that are not messages, and says how to convert them: %j",
  async (wrong) => {
    const node = compactionNode(options);
    await expect(node({ messages: [wrong] }, inThread("t"))).rejects.toThrow(
      /in place of a message.*MessagesValue/,
    );
    await expect(node({ messages: [hello] }, inThread("t"))).resolves.toEqual({});
  },
);
