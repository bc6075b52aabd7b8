import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { copyMessage, foldOf, unfold } from "@palimpsest/context";
import { hasBoundReasoning } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent, createMiddleware } from "langchain";
import { afterEach, describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { overflowErrorHandler } from "../nodes/overflow-error-handler.js";
import { inThread } from "../testing/agent-graph.js";
import {
  readPageTool,
  reasoningPrompt,
  reasoningServer,
  type ReasoningServer,
} from "../testing/reasoning-agent.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { FailingDriver } from "../testing/storage.js";

const steps = 6;
let server: ReasoningServer | undefined;
afterEach(() => server?.close());

type Model = Pick<ScriptedModel, "invoke">;
type Edit = (messages: BaseMessage[]) => BaseMessage[];

function inGraph(model: Model, options: ContextOptions, edit: Edit = (messages) => messages) {
  return new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(edit(messages))] }), {
      errorHandler: overflowErrorHandler(options),
      ends: ["model"],
    })
    .addNode("tools", new ToolNode([readPageTool]))
    .addEdge(START, "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "model")
    .compile({ checkpointer: new MemorySaver() });
}

type ProviderModel = ReturnType<ReasoningServer["model"]>;
const hosts = {
  "the error handler": (model: ProviderModel, options: ContextOptions, edit: Edit) =>
    inGraph(model.bindTools([readPageTool]), options, edit),
  "the middleware": (model: ProviderModel, options: ContextOptions, edit: Edit) => {
    const editor = createMiddleware({
      name: "Editor",
      wrapModelCall: (request, handler) => handler({ ...request, messages: edit(request.messages) }),
    });
    return createAgent({
      model,
      tools: [readPageTool],
      middleware: [contextMiddleware({ summaryModel: "none", ...options, fileTools: [] }), editor],
      checkpointer: new MemorySaver(),
    }).graph as never as ReturnType<typeof inGraph>;
  },
};
const cases = (Object.keys(hosts) as (keyof typeof hosts)[]).flatMap((host) =>
  [false, true].map((streaming) => ({ host, streaming })),
);

/**
 * Reads six pages; then the host edits the result of page 3 on its way to the provider, which invalidates the thinking about
 * pages 4 to 6 and the answer.
 */
async function play({ host, streaming }: (typeof cases)[number]) {
  server = await reasoningServer("anthropic", steps);
  const events: ContextEvent[] = [];
  const files = VirtualFilesystem.inMemory();
  const onEvent = (event: ContextEvent) => events.push(event);
  let isEdited = false;
  const withdraw = (message: BaseMessage) =>
    isEdited && message.text.startsWith("3.0") ? copyMessage(message, { content: "Withdrawn." }) : message;
  const options = { files, contextWindow: 200_000, onEvent };
  const graph = hosts[host](server.model({ streaming }), options, (messages) => messages.map(withdraw));
  const { messages: read } = await graph.invoke({ messages: reasoningPrompt }, inThread("t"));
  const thought = read.slice(read.findIndex(({ text }) => text.startsWith("3.0"))).filter(hasBoundReasoning);
  isEdited = true;
  const question = new HumanMessage({ id: "again", content: "And now?" });
  const { messages } = await graph.invoke({ messages: [question] }, inThread("t"));
  return { messages, thought, events, files, calls: server.calls };
}

describe("reasoning that the provider refuses", () => {
  it.each(cases)(
    "refused reasoning is removed from the named block on, once: $host, streaming $streaming",
    async (played) => {
      const { messages, calls, thought, events } = await play(played);
      expect(calls.slice(-2).map(({ status, reasoning }) => [status, reasoning])).toEqual([
        [400, steps + 1],
        [200, 3],
      ]);
      expect(messages.at(-1)?.text).toBe("All pages are read.");
      expect(events.at(-1)).toMatchObject({
        type: "context.retry",
        reason: "reasoning-refused",
        message: expect.stringContaining("messages.7.content.0: Invalid `signature`") as string,
        messages: thought.map(({ id }) => id),
      });
    },
  );

  it("refused reasoning comes back by unfolding", async () => {
    const { messages, thought, files } = await play({ host: "the error handler", streaming: false });
    const archive = files.archive("t");
    const whole = await unfold(messages.slice(0, -2), (path) => archive.readText(path));
    const restored = whole.filter((message) => thought.some(({ id }) => id === message.id));
    expect(restored.map(({ content }) => content)).toEqual(thought.map(({ content }) => content));
  });
});

const thinking = [
  { type: "thinking", thinking: "Hm.", signature: "s" },
  { type: "text", text: "Yes." },
];
const past = [
  new HumanMessage({ id: "q", content: "Is it?" }),
  new AIMessage({ id: "a", content: thinking as never }),
];
const question = new HumanMessage({ id: "now", content: "And now?" });
const refusal = (block: string) =>
  Object.assign(new Error(`400 ${block}: Invalid \`signature\` in \`thinking\` block.`), { status: 400 });

/** A chat whose provider fails with each error in turn, and then answers. */
async function chat(errors: unknown[], driver?: FailingDriver) {
  const model = new ScriptedModel(() => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return new AIMessage("Seven.");
  });
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const files = driver ? new VirtualFilesystem({ driver }) : VirtualFilesystem.inMemory();
  const graph = inGraph(model, { files, contextWindow: 200_000, onEvent });
  const run = graph.invoke({ messages: [...past, question] }, inThread("t"));
  return { model, events, run, graph };
}

it("a second refusal of reasoning is rethrown", async () => {
  const { model, run } = await chat([refusal("messages.1.content.0"), refusal("messages.1.content.1")]);
  await expect(run).rejects.toThrow("messages.1.content.1");
  expect(model.prompts).toHaveLength(2);
});

it("a refusal is rethrown if there is no reasoning to remove", async () => {
  const error = Object.assign(
    new Error("400 Item 'rs_1' of type 'reasoning' was provided without its required following item."),
    { status: 400 },
  );
  const { model, run, events } = await chat([refusal("messages.1.content.0"), error]);
  await expect(run).rejects.toThrow("required following item");
  expect(model.prompts).toHaveLength(2);
  expect(events.filter(({ type }) => type === "context.retry")).toHaveLength(1);
});

it("a refusal is rethrown and no reasoning is removed if the archive cannot be written", async () => {
  const driver = new FailingDriver();
  driver.full = true;
  const { run, events, graph } = await chat([refusal("messages.1.content.0")], driver);
  await expect(run).rejects.toThrow("Invalid `signature`");
  expect(events).toEqual([expect.objectContaining({ type: "context.fail", rung: "archive" })]);
  const { messages } = (await graph.getState(inThread("t"))).values as { messages: BaseMessage[] };
  expect(messages.map(({ content }) => content)).toContainEqual(thinking);
});

it("a refusal of reasoning and an overflow in one step are each resolved once", async () => {
  const long = "prompt is too long: 208310 tokens > 200000 maximum";
  const { model, run } = await chat([refusal("messages.1.content.0"), new Error(long)]);
  await expect(run).rejects.toThrow("too long");
  expect(model.prompts[1]?.filter((message) => foldOf(message)?.kind === "reasoning")).toHaveLength(1);
});
