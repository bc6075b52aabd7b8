import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent, initChatModel, providerStrategy } from "langchain";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { foldMiddleware } from "./folding/fold-middleware.js";
import { predictiveContextMiddleware } from "./predictive/predictive-context-middleware.js";
import { inThread } from "./testing/agent-graph.js";
import { chatServer, type ChatServer } from "./testing/chat-server.js";
import { contextMiddleware } from "./middleware/context-middleware.js";

interface WireTool {
  readonly function: {
    readonly name: string;
    readonly strict?: boolean;
    readonly parameters: { readonly properties: object; readonly required?: readonly string[] };
  };
}

let server: ChatServer | undefined;
afterEach(() => server?.close());

const lookUp = tool(() => "4", {
  name: "look_up",
  description: "A.",
  schema: z.object({ word: z.string() }),
});
const answer = providerStrategy(z.object({ value: z.number() }));
const nulls = { path: null, glob: null, regex: null, ignore_case: null, context_lines: null };
const search = { pattern: "zebra", ...nulls, max_matches: null, page: null };

/** Refuses a strict tool with a parameter that is not required, as OpenAI does, and calls a tool once. */
async function strictServer(bound: WireTool[], called = { name: "grep", args: search as unknown }) {
  server = await chatServer(({ text, messages }) => {
    bound.splice(0, bound.length, ...(JSON.parse(text) as { readonly tools: readonly WireTool[] }).tools);
    const refused = bound.find(({ function: { strict, parameters } }) => {
      const required = new Set(parameters.required);
      return strict === true && Object.keys(parameters.properties).some((name) => !required.has(name));
    });
    if (refused !== undefined) {
      const message = `Invalid schema for function '${refused.function.name}': 'required' is required to be supplied.`;
      return {
        status: 400,
        error: { message, code: "invalid_function_parameters", type: "invalid_request_error" },
      };
    }
    const isSearched = messages.some(({ tool_calls: calls = [] }) => calls.length > 0);
    if (isSearched) return { content: '{"value":4}' };
    return { content: "", calls: [{ id: "c1", ...called }] };
  });
  return server.url;
}

const common = { apiKey: "none", maxRetries: 0 };

it.each([
  ["beside a native format of the response", false, { responseFormat: answer }],
  ["where the model is told to", { supportsStrictToolCalling: true }, {}],
  ["made by initChatModel", true, { responseFormat: answer }],
] as const)("ChatOpenAI takes the file tools where it is strict: %s", async (_, how, format) => {
  const bound: WireTool[] = [];
  const configuration = { baseURL: await strictServer(bound) };
  const fields = { ...common, configuration, ...(typeof how === "object" ? how : {}) };
  const model =
    how === true
      ? await initChatModel("openai:local", fields)
      : new ChatOpenAI({ model: "local", ...fields });
  const files = VirtualFilesystem.inMemory();
  const agent = createAgent({
    model,
    tools: [lookUp],
    middleware: [contextMiddleware({ files, contextWindow: 20_000, agentControlled: true })],
    checkpointer: new MemorySaver(),
    ...format,
  });
  const { messages } = await agent.invoke({ messages: [new HumanMessage("Go")] }, inThread("t"));
  expect(bound.map(({ function: { name, strict } }) => `${name} ${strict}`)).toContain(
    "compress_context true",
  );
  expect(messages.find((message) => ToolMessage.isInstance(message))?.text).toMatch(/^No /);
  expect(messages.at(-1)?.text).toBe('{"value":4}');
});

const toRange = { summary: "What look_up said.", range: null, ids: null, confidence: null, goal: null };
const others = [
  { make: foldMiddleware, called: "fold_context", args: toRange, told: /^(Noted|Not folded|Steps)/ },
  { make: predictiveContextMiddleware, called: "grep", args: search, told: /^No / },
] as const;

it.each(others)(
  "ChatOpenAI takes the tool $called of another middleware where it is strict",
  async ({ make, called, args, told }) => {
    const bound: WireTool[] = [];
    const configuration = { baseURL: await strictServer(bound, { name: called, args }) };
    const model = new ChatOpenAI({ model: "local", ...common, configuration });
    const agent = createAgent({
      model,
      tools: [lookUp],
      middleware: [make({ files: VirtualFilesystem.inMemory(), contextWindow: 20_000 })],
      checkpointer: new MemorySaver(),
      responseFormat: answer,
    });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("Go")] }, inThread("t"));
    expect(bound.map(({ function: { name, strict } }) => `${name} ${strict}`)).toContain(`${called} true`);
    expect(messages.find((message) => ToolMessage.isInstance(message))?.text).toMatch(told);
    expect(messages.at(-1)?.text).toBe('{"value":4}');
  },
);
