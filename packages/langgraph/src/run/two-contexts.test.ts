import type { BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  END,
  MemorySaver,
  MessagesAnnotation,
  messagesStateReducer,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { compactionNode, contextAnnotation, contextIn } from "../index.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { readThread } from "../threads/index.js";
import { mergeCompaction } from "./context-state.js";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  ...contextAnnotation,
  notes: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
});

const idsOf = (messages: readonly BaseMessage[]) => messages.map(({ id }) => id);
const said = (name: string, steps: number) =>
  history({ steps, result: (step) => `${name} ${filler(500, step)}` }).map((message) => {
    message.id = `${name}-${message.id}`;
    return message;
  });

/** Returns a graph with a context of `messages` and one of `notes`, whose nodes run one after the other or in one step. */
function graphOf(form: "in turn" | "at once", keepThread: boolean) {
  const files = VirtualFilesystem.inMemory();
  const options = { files, contextWindow: 9_000, keepThread };
  const graph = new StateGraph(State)
    .addNode("one", compactionNode(options))
    .addNode("two", compactionNode({ ...options, contextWindow: 6_000, inputKey: "notes" }))
    .addEdge(START, "one")
    .addEdge("two", END);
  const wired = form === "in turn" ? graph.addEdge("one", "two") : graph.addEdge(START, "two");
  return { graph: wired.compile({ checkpointer: new MemorySaver() }), files };
}

describe.each(["in turn", "at once"] as const)("two contexts in one graph, compacted %s", (form) => {
  it.each([true, false])("keep what compaction remembers apart (keepThread: %s)", async (keepThread) => {
    const { graph, files } = graphOf(form, keepThread);
    const config = inThread("t");
    const [messages, notes] = [said("m", 25), said("n", 25)];
    for (const update of [
      { messages, notes },
      { messages: said("more", 1), notes: said("later", 1) },
    ])
      await graph.invoke(update, config);
    const { values } = await graph.getState(config);
    const contexts = { messages: contextIn(values), notes: contextIn(values, { inputKey: "notes" }) };
    for (const context of Object.values(contexts)) expect(context.some((one) => foldOf(one))).toBe(true);
    expect(idsOf(contexts.messages).filter((id) => id?.startsWith("n-") ?? false)).toEqual([]);
    expect(idsOf(contexts.notes).filter((id) => id?.startsWith("m-") ?? false)).toEqual([]);
    for (const [inputKey, first, next] of [
      ["messages", messages, "more"],
      ["notes", notes, "later"],
    ] as const) {
      const thread = await readThread(graph, config, { files, inputKey });
      expect(idsOf(thread)).toEqual([...idsOf(first), ...idsOf(said(next, 1))]);
    }
  });
});

it("mergeCompaction keeps the fields of each context, whichever came first, and one scope", () => {
  const notes = { inputKey: "notes", overheadTokens: 7, scope: "s" };
  const both = mergeCompaction(mergeCompaction({ overheadTokens: 3 }, notes), { refusedAt: 9 });
  expect(both).toEqual({
    overheadTokens: 3,
    refusedAt: 9,
    scope: "s",
    others: { notes: { overheadTokens: 7, scope: "s" } },
  });
  expect(mergeCompaction(both, notes)).toEqual(both);
  expect(mergeCompaction(notes, { overheadTokens: 3 })).toEqual({
    ...notes,
    others: { messages: { overheadTokens: 3 } },
  });
  expect(mergeCompaction({ refusedAt: 1 }, { inputKey: "constructor" }).others).toEqual({ constructor: {} });
});
