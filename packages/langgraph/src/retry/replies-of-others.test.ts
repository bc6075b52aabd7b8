import { ContextOverflowError } from "@langchain/core/errors";
import { AIMessage, HumanMessage, type BaseMessage, type ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { estimateTokens, toStoredMessage } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import {
  createAgent,
  createMiddleware,
  modelRetryMiddleware,
  toolStrategy,
  type AgentMiddleware,
  type WrapModelCallHook,
} from "langchain";
import { EventEmitter, once } from "node:events";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contextMiddleware, type ContextMiddlewareOptions } from "../middleware/context-middleware.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { unfolded } from "../testing/storage.js";
import { readThread } from "../threads/read-thread.js";

const thread = [
  ...history({ steps: 15, result: (step) => filler(300, step) }),
  new AIMessage({ id: "found", content: "Found." }),
  new HumanMessage({ id: "more", content: "Go on." }),
];

const callsTwice: WrapModelCallHook = async (request, handler) => {
  await handler(request);
  return handler(request);
};

/** What a middleware outside of ours may make of a reply, and what the thread then ends with. */
const others: Readonly<Record<string, { readonly hook: WrapModelCallHook; readonly ends: string }>> = {
  "edits the reply": {
    async hook(request, handler) {
      const reply = await handler(request);
      return new AIMessage({ id: reply.id!, content: "[removed]" });
    },
    ends: "[removed]",
  },
  "calls the model twice": { hook: callsTwice, ends: "Reply 3." },
  "calls the model twice and takes the first reply": {
    async hook(request, handler) {
      const first = await handler(request);
      await handler(request);
      return first;
    },
    ends: "Reply 1.",
  },
};

function agent(
  model: ScriptedModel,
  hook: WrapModelCallHook,
  options: Partial<ContextMiddlewareOptions> = {},
) {
  const files = VirtualFilesystem.inMemory();
  const other = createMiddleware({ name: "Other", wrapModelCall: hook });
  const own = contextMiddleware({ files, summaryModel: "none", fileTools: [], ...options });
  return { files, middleware: [other, own], checkpointer: new MemorySaver(), model, tools: [] };
}

describe.each(Object.entries(others))("a middleware that %s", (_, { hook, ends }) => {
  it("has its way in the step of an overflow, and the compacted context stays", async () => {
    // Each first call of the two is refused.
    const model = new ScriptedModel((_, call) => {
      if (call % 2 === 0) throw new ContextOverflowError("too long");
      return new AIMessage({ id: `reply-${call}`, content: `Reply ${call}.` });
    });
    const { files, ...parts } = agent(model, hook, { contextWindow: 200_000 });
    const { messages } = await createAgent(parts).invoke({ messages: thread }, inThread("t"));

    expect(messages.at(-1)?.text).toBe(ends);
    expect(messages.slice(0, -1).map(({ id }) => id)).toEqual(model.prompts[1]?.map(({ id }) => id));
    const opened = await unfolded(messages, files, "t");
    expect(opened.slice(0, -1)).toEqual(thread.map((message) => toStoredMessage(message)));
  });
});

it.each([false, true])(
  "two calls beside each other are sent what fits the window; keepThread: %s",
  async (keepThread) => {
    const asked = new EventEmitter();
    const model = new ScriptedModel((_, call) => {
      asked.emit("asked");
      return new AIMessage({ id: `reply-${call}`, content: `Reply ${call}.` });
    });
    const { files, ...parts } = agent(
      model,
      async (request, handler) => {
        const first = handler(request);
        // The model is slow, so that it is asked once more.
        await once(asked, "asked");
        return (await Promise.all([first, handler(request)]))[1];
      },
      { contextWindow: 4_000, keepThread },
    );
    const { graph } = createAgent(parts);
    await graph.invoke({ messages: thread }, inThread("t"));
    expect(estimateTokens(thread)).toBeGreaterThan(4_000);
    expect(model.prompts.map((prompt) => estimateTokens(prompt) < 4_000)).toEqual([true, true]);
    const read = await readThread(graph, inThread("t"), { files });
    expect(read.slice(0, -1).map((message) => toStoredMessage(message))).toEqual(
      thread.map((message) => toStoredMessage(message)),
    );
  },
);

it("structured output that is asked for twice in one step is the second one, with one call and one result", async () => {
  const model = new ScriptedModel(
    (_, call) =>
      new AIMessage({
        id: `reply-${call}`,
        content: "",
        tool_calls: [{ id: `call-${call}`, name: "answer", args: { value: call } }],
      }),
    0,
    200_000,
  );
  const { files: _, ...parts } = agent(model, callsTwice);
  const responseFormat = toolStrategy(z.object({ value: z.number() }).meta({ title: "answer" }));
  const graph = createAgent({ ...parts, responseFormat });
  const { messages, structuredResponse } = await graph.invoke(
    { messages: [new HumanMessage("Go")] },
    inThread("t"),
  );
  expect(structuredResponse).toEqual({ value: 1 });
  expect(messages.map(({ type }) => type)).toEqual(["human", "ai", "tool", "ai"]);
  expect((messages[2] as ToolMessage).tool_call_id).toBe("call-1");
});

it("a middleware behind it retries the model by the class of an error, and leaves an overflow to it", async () => {
  class BusyError extends Error {}
  const model = new ScriptedModel((_, call) => {
    if (call === 0) throw new BusyError("busy");
    if (call === 1) throw new ContextOverflowError("too long");
    return new AIMessage({ id: "reply", content: "Done." });
  });
  const files = VirtualFilesystem.inMemory();
  const own = contextMiddleware({ files, contextWindow: 200_000, summaryModel: "none", fileTools: [] });
  const retry = modelRetryMiddleware({ retryOn: [BusyError], onFailure: "error", initialDelayMs: 0 });
  const middleware: AgentMiddleware[] = [own, retry];
  const graph = createAgent({ model, tools: [], middleware, checkpointer: new MemorySaver() });
  const { messages } = await graph.invoke({ messages: thread }, inThread("t"));
  expect(messages.at(-1)?.text).toBe("Done.");
  expect(model.prompts[1]).toHaveLength(thread.length);
  expect(model.prompts[2]!.length).toBeLessThan(thread.length);
});

it("an overflow puts nothing but the reply into the stream of messages", async () => {
  const model = new ScriptedModel((_, call) => {
    if (call === 0) throw new ContextOverflowError("too long");
    return new AIMessage({ id: "reply", content: "Done." });
  });
  const { files: _, ...parts } = agent(model, (request, handler) => handler(request), {
    contextWindow: 200_000,
  });
  const stream = await createAgent(parts).stream(
    { messages: thread },
    { ...inThread("t"), streamMode: "messages" },
  );
  const texts = new Set<string>();
  for await (const [message] of stream as AsyncIterable<[BaseMessage]>) texts.add(message.text);
  expect([...texts]).toEqual(["Done."]);
});
