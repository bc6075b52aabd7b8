import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { Annotation, MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { estimateTokens, foldOf, toStoredMessage } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compactionCondition } from "../conditions/compaction-condition.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { maskToolResultsNode } from "../nodes/rung-nodes.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { readingJob, type ReadingJob } from "../testing/reading-job.js";
import { unfolded } from "../testing/storage.js";
import { contextAnnotation, contextState } from "./context-state.js";

const contextWindow = 12_000;
const config = inThread("t");
const State = new StateSchema({
  messages: MessagesValue,
  context: z.custom<BaseMessage[]>().optional(),
  ...contextState,
});

/** An agent that shows `messages` to a user and `context` to its model. */
function viewGraph(job: ReadingJob, files: VirtualFilesystem) {
  const options = { files, contextWindow, outputKey: "context" };
  return new StateGraph(State)
    .addNode("model", async ({ context }) => ({ messages: [await job.model.invoke(context ?? [])] }))
    .addNode("tools", new ToolNode(job.tools))
    .addNode("compact", compactionNode(options))
    .addConditionalEdges(START, compactionCondition(options), ["compact", "model"])
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addConditionalEdges("tools", compactionCondition(options), ["compact", "model"])
    .compile({ checkpointer: new MemorySaver() });
}

describe("an output key of its own", () => {
  it("leaves the thread whole while the model reads a bounded context", async () => {
    const job = readingJob({ pages: 60, parallel: 3, lines: 40 });
    const files = VirtualFilesystem.inMemory();
    const { messages, context = [] } = await viewGraph(job, files).invoke(
      { messages: [job.ask("atlas")] },
      config,
    );

    expect(messages.map((message) => toStoredMessage(message))).toEqual(job.thread("atlas"));
    expect(Math.max(...job.model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(
      contextWindow,
    );
    expect(job.model.prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
    expect(context.some((message) => foldOf(message)?.kind === "summary")).toBe(true);
    expect(await unfolded(context, files, "t")).toEqual(job.thread("atlas").slice(0, -1));
  });

  it("continues the context of the last step if the reducer of the thread assigns no ids", async () => {
    const files = VirtualFilesystem.inMemory();
    const options = { files, contextWindow: 6_000, outputKey: "context" };
    const sent: (readonly BaseMessage[])[] = [];
    const graph = new StateGraph(
      Annotation.Root({
        messages: Annotation<BaseMessage[]>({
          reducer: (old, added) => [...old, ...added],
          default: () => [],
        }),
        context: Annotation<BaseMessage[]>,
        ...contextAnnotation,
      }),
    )
      .addNode("model", ({ context }) => {
        sent.push(context);
        return { messages: [new AIMessage(`Answer ${sent.length}.`)] };
      })
      .addNode("compact", compactionNode(options))
      .addConditionalEdges(START, compactionCondition(options), ["compact", "model"])
      .addEdge("compact", "model")
      .compile({ checkpointer: new MemorySaver() });
    for (let turn = 0; turn < 14; turn++)
      await graph.invoke({ messages: [new HumanMessage(filler(700, turn))] }, config);
    const { messages, context } = (await graph.getState(config)).values as Record<string, BaseMessage[]>;
    expect(Math.max(...sent.map((prompt) => estimateTokens(prompt)))).toBeLessThan(6_000);
    // Between two compactions a prompt goes on from the one before it.
    const summaries = new Set(
      sent.map((prompt) => prompt.find(({ id = "" }) => id.startsWith("summary-"))?.id),
    );
    expect(summaries.size).toBeLessThan(7);
    expect(new Set(sent[13]!.map(({ content }) => content)).size).toBe(sent[13]!.length);
    const texts = (await unfolded(context!, files, "t")).map(({ data }) => data["content"]);
    expect(texts).toEqual(messages!.slice(0, -1).map(({ content }) => content));
  });

  it("sends messages that the host has edited in the thread as edited, and none that it has removed", async () => {
    const compact = compactionNode({
      files: VirtualFilesystem.inMemory(),
      contextWindow,
      outputKey: "context",
    });
    const thread = history({ steps: 3 });
    const { context } = await compact({ messages: thread }, config);
    const edited = [
      new HumanMessage({ id: "question", content: "Find every value but the first." }),
      ...thread.slice(3),
      new AIMessage({ id: "end", content: "Done." }),
      new HumanMessage({ id: "next", content: "And now?" }),
    ];
    const again = await compact({ messages: edited, context }, config);
    expect(again["context"]).toEqual(edited);
    expect((await compact({ messages: edited, ...again }, config))["context"]).toEqual(edited);
  });

  it("keeps a summary if the host has edited a message behind it, and writes one that quoted it anew", async () => {
    const files = VirtualFilesystem.inMemory();
    const compact = compactionNode({ files, contextWindow, keep: { tokens: 1 }, outputKey: "context" });
    const thread = history({ steps: 40, result: (step) => filler(300, step) });
    const { context } = await compact({ messages: thread }, config);
    const folded = context as BaseMessage[];
    expect(folded.filter((message) => foldOf(message)?.kind === "summary")).toHaveLength(1);
    const withEdit = async (edited: BaseMessage) => {
      const messages = thread.map((message) => (message.id === edited.id ? edited : message));
      return (await compact({ messages, context: folded }, config))["context"] as BaseMessage[];
    };
    const result = thread.at(-1) as ToolMessage;
    const behind = new ToolMessage({ ...result.lc_kwargs, tool_call_id: "call-39", content: "No value." });
    expect(await withEdit(behind)).toEqual([...folded.slice(0, -1), behind]);

    const question = new HumanMessage({ id: "question", content: "Find every value but the first." });
    const texts = (await withEdit(question)).map(({ text }) => text).join("\n");
    expect(texts).toContain("but the first");
    expect(texts).not.toContain("Never guess one.");
  });

  it("goes on from a context of a stand-in and the answer behind it", async () => {
    const files = VirtualFilesystem.inMemory();
    const trigger = { messages: 20 };
    const compact = compactionNode({
      files,
      contextWindow,
      trigger,
      keep: { tokens: 1 },
      outputKey: "context",
    });
    const thread = [...history({ steps: 40 }), new AIMessage({ id: "end", content: "Done." })];
    const { context } = await compact({ messages: thread }, config);
    const folded = context as BaseMessage[];
    expect(folded.slice(-2).map((message) => foldOf(message)?.kind ?? message.id)).toEqual([
      "summary",
      "end",
    ]);

    const next = new HumanMessage({ id: "next", content: "And now?" });
    const again = await compact({ messages: [...thread, next], context: folded }, config);
    expect((again["context"] as BaseMessage[]).map(({ id }) => id)).toEqual([
      ...folded.map(({ id }) => id),
      "next",
    ]);
  });

  it("goes on from the context of the turn before", async () => {
    const job = readingJob({ pages: 24, lines: 40 });
    const files = VirtualFilesystem.inMemory();
    const graph = viewGraph(job, files);
    await graph.invoke({ messages: [job.ask("atlas")] }, config);
    const before = job.model.prompts.at(-1) ?? [];
    await graph.invoke(
      { messages: [new HumanMessage({ id: "more", content: "Thank you. Anything else?" })] },
      config,
    );
    const after = job.model.prompts.at(-1) ?? [];

    expect(after.map(({ id }) => id)).toEqual([...before.map(({ id }) => id), "atlas-end", "more"]);
  });

  it("starts again from the thread if the context's newest message is no longer in it", async () => {
    const node = compactionNode({
      files: VirtualFilesystem.inMemory(),
      contextWindow: 100_000,
      outputKey: "context",
    });
    const messages = history({ steps: 3 });
    const context = [new HumanMessage({ id: "gone", content: "of another branch" })];
    expect((await node({ messages, context }, config))["context"]).toEqual(messages);
  });

  it("is kept by a single rung as well, even if the rung has nothing to do", async () => {
    const files = VirtualFilesystem.inMemory();
    const messages = history({ steps: 16, result: (step) => filler(500, step) });
    const calm = maskToolResultsNode({ files, contextWindow: 90_000, outputKey: "context" });
    const due = maskToolResultsNode({ files, contextWindow: 9_000, outputKey: "context" });
    const masked = (await due({ messages }, config))["context"] as BaseMessage[];

    expect((await calm({ messages }, config))["context"]).toEqual(messages);
    expect(masked.filter((message) => foldOf(message)?.kind === "mask")).toHaveLength(6);
    expect(await due({ messages }, config)).not.toHaveProperty("messages");
  });
});

it("reads the thread under another input key", async () => {
  const node = compactionNode({
    files: VirtualFilesystem.inMemory(),
    contextWindow: 9_000,
    inputKey: "chat",
  });
  const chat = history({ steps: 25, result: (step) => filler(500, step) });
  expect(Object.keys(await node({ chat }, config)).toSorted()).toEqual(["chat", "compaction"]);
});
