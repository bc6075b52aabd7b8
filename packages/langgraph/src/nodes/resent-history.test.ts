import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import type { ContextOptions } from "../options/context-options.js";
import { compactionCondition } from "../conditions/compaction-condition.js";
import { foldMiddleware } from "../folding/fold-middleware.js";
import { foldNode } from "../folding/fold-node.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { agentGraph, agentState, inThread } from "../testing/agent-graph.js";
import { readingJob, type ReadingJob } from "../testing/reading-job.js";
import { predictiveContextMiddleware } from "../predictive/predictive-context-middleware.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { readThread } from "../threads/read-thread.js";
import { unfolded } from "../testing/storage.js";
import { compactionNode } from "./compaction-node.js";

type Job = Pick<ReadingJob, "model" | "tools">;

const hosts = {
  "a node": ({ model, tools }: Job, options: ContextOptions) =>
    agentGraph({ model, tools, compact: compactionNode(options) }),
  "a node behind its condition": ({ model, tools }: Job, options: ContextOptions) =>
    new StateGraph(agentState)
      .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode("tools", new ToolNode(tools))
      .addNode("compact", compactionNode(options))
      .addConditionalEdges(START, compactionCondition(options), ["compact", "model"])
      .addEdge("compact", "model")
      .addConditionalEdges("model", toolsCondition)
      .addConditionalEdges("tools", compactionCondition(options), ["compact", "model"])
      .compile({ checkpointer: new MemorySaver() }),
  "the middleware": ({ model, tools }: Job, options: ContextOptions) =>
    createAgent({
      model,
      tools,
      middleware: [contextMiddleware({ ...options, summaryModel: "none", fileTools: [] })],
      checkpointer: new MemorySaver(),
    }),
  "the node for blocks": ({ model, tools }: Job, options: ContextOptions) =>
    agentGraph({ model, tools, compact: foldNode(options) }),
  "the middleware for blocks": ({ model, tools }: Job, options: ContextOptions) =>
    createAgent({
      model,
      tools,
      middleware: [foldMiddleware({ ...options, summaryModel: "none" })],
      checkpointer: new MemorySaver(),
    }),
  "the node of predictive context": ({ model, tools }: Job, { files }: ContextOptions) =>
    agentGraph({ model, tools, compact: predictiveContextNode({ files, budget: 8_000 }) }),
  "the node of predictive context in another process": ({ model, tools }: Job, { files }: ContextOptions) =>
    agentGraph({
      model,
      tools,
      compact: (state, config) => predictiveContextNode({ files, budget: 8_000 })(state, config),
    }),
  "the middleware of predictive context": ({ model, tools }: Job, { files }: ContextOptions) =>
    createAgent({
      model,
      tools,
      middleware: [predictiveContextMiddleware({ files, budget: 8_000, tools: [] })],
      checkpointer: new MemorySaver(),
    }),
};

function newestQuestion(messages: readonly BaseMessage[]): BaseMessage | undefined {
  return messages.findLast((message) => message.getType() === "human" && foldOf(message) === undefined);
}

/** Returns the job with a model that answers later questions at once, whatever it sees of the book. */
function answering({ model, tools }: ReadingJob): Job {
  return {
    tools,
    model: new ScriptedModel((messages, call) =>
      newestQuestion(messages)?.text.startsWith("And") === true
        ? new AIMessage({ id: `answer-${call}`, content: "Nothing more." })
        : model.reply(messages, call),
    ),
  };
}

it.each(Object.entries(hosts))(
  "%s leaves out what a client sends again of a folded history, and the thread holds it once",
  async (_, host) => {
    const contextWindow = 12_000;
    const files = VirtualFilesystem.inMemory();
    const job = readingJob({ pages: 40, parallel: 2, lines: 40 });
    const { model, tools } = answering(job);
    const graph = host({ model, tools }, { files, contextWindow });
    const shown = new Map<string, BaseMessage>();
    async function turn(question: HumanMessage): Promise<readonly BaseMessage[]> {
      const input = { messages: [...shown.values(), question] };
      const stream = await graph.stream(input, { ...inThread("t"), streamMode: "values" });
      let newest: readonly BaseMessage[] = [];
      for await (const { messages } of stream as AsyncIterable<{ messages: BaseMessage[] }>) {
        newest = messages;
        // A client knows what it has been shown, and no stand-ins.
        const own = messages.filter((message) => !isStandIn(message));
        for (const message of own) shown.set(message.id ?? "", shown.get(message.id ?? "") ?? message);
      }
      return newest;
    }
    await turn(job.ask("atlas"));
    const prompts = model.prompts.length;
    await turn(new HumanMessage({ id: "second", content: "And now?" }));
    const messages = await turn(new HumanMessage({ id: "third", content: "And then?" }));

    const last = model.prompts.slice(prompts);
    expect(last.map((prompt) => prompt.at(-1)?.id)).toEqual(["second", "third"]);
    expect(Math.max(...last.map((prompt) => estimateTokens(prompt)))).toBeLessThan(contextWindow);
    expect(last.flatMap((prompt) => illegalities(prompt))).toEqual([]);
    const opened = await unfolded(messages, files, "t");
    expect(opened.map(({ data }) => data["id"])).toEqual([...shown.keys()]);
  },
);

const edits = {
  "a result": (thread: readonly BaseMessage[]) => {
    const { id, tool_call_id } = thread[6] as ToolMessage;
    return new ToolMessage({ id: id!, tool_call_id, content: "Corrected." });
  },
  "the words beside a call": (thread: readonly BaseMessage[]) => {
    const { id, tool_calls } = thread[4] as AIMessage;
    return new AIMessage({ id: id!, content: "Corrected.", tool_calls: tool_calls! });
  },
};

it.each(
  Object.entries(hosts).flatMap(([name, host]) =>
    Object.entries(edits).map(([what, edit]) => ({ name, what, host, edit })),
  ),
)(
  "$name sends a legal prompt after the host has edited $what that is folded, and nothing of the thread goes",
  async ({ host, edit }) => {
    const files = VirtualFilesystem.inMemory();
    const job = readingJob({ pages: 40, parallel: 2, lines: 40 });
    const { model, tools } = answering(job);
    const graph = host({ model, tools }, { files, contextWindow: 12_000 });
    await graph.invoke({ messages: [job.ask("atlas")] }, inThread("t"));
    const read = async () => readThread(graph as never, inThread("t"), { files });
    const before = await read();
    const edited = edit(before);
    const prompts = model.prompts.length;
    const turn = async (...messages: BaseMessage[]) => graph.invoke({ messages }, inThread("t"));
    await turn(edited, new HumanMessage({ id: "second", content: "And now?" }));
    await turn(new HumanMessage({ id: "third", content: "And then?" }));

    const [first, ...later] = model.prompts.slice(prompts);
    expect(first?.filter(({ text }) => text === edited.text).map(({ id }) => id)).toEqual([edited.id]);
    expect([first, ...later].flatMap((prompt = []) => illegalities(prompt))).toEqual([]);
    const thread = (await read()).map(({ text }) => text);
    expect(thread.slice(0, before.length)).toEqual(before.map(({ text }) => text));
    expect(thread).toContain(edited.text);
  },
);

function isStandIn(message: BaseMessage): boolean {
  return ["summary", "micro", "macro", "chunk"].includes(foldOf(message)?.kind ?? "");
}
