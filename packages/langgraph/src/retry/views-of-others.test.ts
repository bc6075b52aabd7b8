import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { estimateTokens, toStoredMessage } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import {
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createAgent,
  createMiddleware,
  type AgentMiddleware,
} from "langchain";
import { expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { foldMiddleware } from "../folding/fold-middleware.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { readingJob } from "../testing/reading-job.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { unfolded } from "../testing/storage.js";

const reminder = "REMINDER: be brief.";

/** What a middleware outside of ours may show the model in place of the thread. */
const views: Readonly<Record<string, (messages: readonly BaseMessage[]) => BaseMessage[]>> = {
  "shows the newest messages alone": (messages) => messages.slice(-8),
  "adds a reminder": (messages) => [...messages, new HumanMessage({ id: "reminder", content: reminder })],
  "clears results": (messages) =>
    messages.map((message) =>
      ToolMessage.isInstance(message)
        ? new ToolMessage({ id: message.id!, tool_call_id: message.tool_call_id, content: "[cleared]" })
        : message,
    ),
};

const thread = [
  ...history({ steps: 15, result: (step) => filler(300, step) }),
  new AIMessage({ id: "found", content: "Found." }),
  new HumanMessage({ id: "more", content: "Go on." }),
];

it.each(Object.keys(views))(
  "an overflow keeps the thread whole where another middleware %s, and compacts it",
  async (name) => {
    const files = VirtualFilesystem.inMemory();
    const model = new ScriptedModel((_, call) => {
      if (call === 0) throw new ContextOverflowError("too long");
      return new AIMessage({ id: "answer", content: "Done." });
    });
    const view = createMiddleware({
      name: "View",
      wrapModelCall: (request, handler) => handler({ ...request, messages: views[name]!(request.messages) }),
    });
    const own = contextMiddleware({ files, contextWindow: 200_000, summaryModel: "none", fileTools: [] });
    const checkpointer = new MemorySaver();
    const graph = createAgent({ model, tools: [], middleware: [view, own], checkpointer });
    const { messages } = await graph.invoke({ messages: thread }, inThread("t"));

    const [refused, sent] = model.prompts;
    expect(estimateTokens(sent!)).toBeLessThan(estimateTokens(refused!));
    expect(estimateTokens(messages)).toBeLessThan(estimateTokens(thread) / 2);
    const opened = await unfolded(messages, files, "t");
    expect(opened.slice(0, -1)).toEqual(thread.map((message) => toStoredMessage(message)));
    expect(messages.at(-1)?.id).toBe("answer");
  },
);

const shortened: Readonly<
  Record<string, (files: VirtualFilesystem, onEvent: (event: ContextEvent) => void) => AgentMiddleware>
> = {
  contextMiddleware: (files, onEvent) =>
    contextMiddleware({ files, onEvent, contextWindow: 13_000, summaryModel: "none", fileTools: [] }),
  foldMiddleware: (files, onEvent) =>
    foldMiddleware({ files, onEvent, contextWindow: 13_000, summaryModel: "none", condense: "on-directive" }),
};

it.each(Object.keys(shortened))(
  "%s finds no fault with the usage where middleware behind it shortens what is sent",
  async (name) => {
    const events: ContextEvent[] = [];
    const own = shortened[name]!(VirtualFilesystem.inMemory(), (event) => events.push(event));
    const edits = [new ClearToolUsesEdit({ trigger: { tokens: 2_000 }, keep: { messages: 1 } })];
    const middleware = [own, contextEditingMiddleware({ edits }) as AgentMiddleware];
    const job = readingJob({ pages: 25 });
    const { graph } = createAgent({ model: job.model, tools: job.tools, middleware });
    await graph.invoke({ messages: [job.ask("atlas")] }, inThread("t"));
    expect(job.model.prompts.some((prompt) => prompt.some(({ text }) => text === "[cleared]"))).toBe(true);
    expect(events.filter(({ type }) => type === "context.fail")).toEqual([]);
  },
);
