import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "./context-event.js";
import { contextMiddleware } from "./middleware/context-middleware.js";
import { compactionNode } from "./nodes/compaction-node.js";
import { overflowErrorHandler } from "./nodes/overflow-error-handler.js";
import { agentState, inThread } from "./testing/agent-graph.js";
import { chatServer, type ChatServer, type WireAnswer, type WireRequest } from "./testing/chat-server.js";
import { pageText } from "./testing/reading-job.js";
import { unfolded } from "./testing/storage.js";

const pages = 18;
const readPage = tool(({ page }) => pageText("atlas", page, 40), {
  name: "read_page",
  schema: z.object({ page: z.number() }),
});

let server: ChatServer | undefined;
afterEach(() => server?.close());

/** Reads on from the newest call in the prompt; refuses prompts of more bytes than it takes. */
function provider(mostBytes: number) {
  return ({ messages, text }: WireRequest): WireAnswer => {
    if (text.length > mostBytes) {
      const message =
        "This model's maximum context length is 4096 tokens. Please reduce the length of the messages.";
      return {
        status: 400,
        error: { message, code: "context_length_exceeded", type: "invalid_request_error" },
      };
    }
    const calls = messages.flatMap((message) => message.tool_calls ?? []);
    const last = calls.at(-1)?.function.arguments ?? '{"page":0}';
    const next = (JSON.parse(last) as { page: number }).page + 1;
    if (next > pages) return { content: "The book is read." };
    return {
      content: `Page ${next}.`,
      calls: [{ id: `call_${next}`, name: "read_page", args: { page: next } }],
    };
  };
}

interface Run {
  /** Whole answers, or a stream of events as a host asks for with streamMode "messages". */
  readonly streaming: boolean;
  readonly mostBytes?: number;
  readonly contextWindow: number;
}

async function run({ streaming, mostBytes = Infinity, contextWindow }: Run) {
  server = await chatServer(provider(mostBytes));
  const client = new ChatOpenAI({
    model: "local",
    apiKey: "none",
    maxRetries: 0,
    configuration: { baseURL: server.url },
  });
  const files = VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const options = { files, contextWindow, onEvent: (event: ContextEvent) => events.push(event) };
  return { client, files, events, options, streaming, requests: server.requests };
}

type Prepared = Awaited<ReturnType<typeof run>>;

async function inGraph({ client, options, streaming }: Prepared): Promise<readonly BaseMessage[]> {
  const model = client.bindTools([readPage]);
  const graph = new StateGraph(agentState)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }), {
      errorHandler: overflowErrorHandler(options),
      ends: ["model"],
    })
    .addNode("tools", new ToolNode([readPage]))
    .addNode("compact", compactionNode(options))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
  return finish(graph, streaming);
}

async function inAgent({ client, options, streaming }: Prepared): Promise<readonly BaseMessage[]> {
  const middleware = [contextMiddleware({ summaryModel: "none", ...options, fileTools: [] })];
  const agent = createAgent({
    model: client,
    tools: [readPage],
    middleware,
    checkpointer: new MemorySaver(),
  });
  return finish(agent.graph, streaming);
}

interface Graph {
  stream(input: object, config: object): Promise<AsyncIterable<unknown>>;
  getState(config: object): Promise<{ readonly values: { readonly messages: readonly BaseMessage[] } }>;
}

/** Runs to the end and returns what the state holds then. */
async function finish(graph: Graph, streaming: boolean): Promise<readonly BaseMessage[]> {
  const input = { messages: [new HumanMessage("Read the book.")] };
  const streamMode = streaming ? "messages" : "values";
  const chunks: unknown[] = [];
  for await (const chunk of await graph.stream(input, { ...inThread("t"), streamMode })) chunks.push(chunk);
  return (await graph.getState(inThread("t"))).values.messages;
}

describe.each([
  ["a graph", inGraph],
  ["createAgent", inAgent],
])("the client of OpenAI in %s", (_, start) => {
  it.each([false, true])("sends no metadata of folds over the wire (streaming: %s)", async (streaming) => {
    const prepared = await run({ streaming, contextWindow: 6_000 });
    const messages = await start(prepared);
    const bodies = prepared.requests.map(({ text }) => text);

    expect(prepared.requests).toHaveLength(pages + 1);
    expect(prepared.requests.every(({ stream }) => stream === streaming)).toBe(true);
    expect(messages.some((message) => foldOf(message)?.kind === "summary")).toBe(true);
    expect(bodies.filter((body) => /palimpsest|lc_source|additional_kwargs/.test(body))).toEqual([]);
    expect(bodies.at(-1)).toContain("Originals: /context/history/");
    expect(prepared.requests.flatMap(({ messages: wire }) => unpaired(wire))).toEqual([]);
    expect(messages.at(-1)?.text).toBe("The book is read.");
    await expectWholeBook(prepared, messages);
  });

  it.each([false, true])(
    "compacts and tries again when the prompt is refused (streaming: %s)",
    async (streaming) => {
      const prepared = await run({ streaming, contextWindow: 200_000, mostBytes: 16_000 });
      const messages = await start(prepared);
      const refused = prepared.requests.filter(({ text }) => text.length > 16_000);
      const compactions = prepared.events.filter(({ type }) => type === "context.compaction");

      expect(refused.length).toBeGreaterThan(0);
      expect(compactions).toHaveLength(refused.length);
      expect(compactions).toEqual(
        refused.map(() => expect.objectContaining({ reason: "overflow" }) as unknown),
      );
      expect(prepared.requests).toHaveLength(pages + 1 + refused.length);
      expect(messages.at(-1)?.text).toBe("The book is read.");
      await expectWholeBook(prepared, messages);
    },
  );
});

/** Every page is in the thread that the context unfolds to, as the tool returned it. */
async function expectWholeBook({ files }: Prepared, messages: readonly BaseMessage[]): Promise<void> {
  const opened = await unfolded(messages, files, "t");
  const results = opened.filter(({ type }) => type === "tool");
  expect(results.map(({ data }) => data["content"])).toEqual(
    Array.from({ length: pages }, (_, index) => pageText("atlas", index + 1, 40)),
  );
}

function unpaired(messages: WireRequest["messages"]): readonly string[] {
  const calls = messages.flatMap((message) => (message.tool_calls ?? []).map(({ id }) => id));
  const results = messages.flatMap((message) => message.tool_call_id ?? []);
  return [...calls.filter((id) => !results.includes(id)), ...results.filter((id) => !calls.includes(id))];
}
