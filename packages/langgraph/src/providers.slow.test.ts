import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import type { ScriptedReply } from "@palimpsest/provider-doubles";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent, providerStrategy, toolStrategy } from "langchain";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "./context-event.js";
import { contextMiddleware } from "./middleware/context-middleware.js";
import { inThread } from "./testing/agent-graph.js";
import { providerClients, type ProviderClient, type ProviderOptions } from "./testing/provider-clients.js";
import { readPageTool } from "./testing/reasoning-agent.js";
import { readThread } from "./threads/read-thread.js";

const steps = 10;
const pages = 2 * steps;
/** Tokens. Sent whole, the pages are about 40,000. */
const contextWindow = 20_000;
const report = z.object({ pages: z.number() }).meta({ title: "report" });

/** How the agent is asked for a structured answer. */
const formats = {
  "a tool call": {
    responseFormat: toolStrategy(report)[0]!,
    answer: { calls: [{ name: "report", args: { pages } }] },
  },
  "the provider's format": {
    responseFormat: providerStrategy(report),
    answer: { text: JSON.stringify({ pages }) },
  },
};
type FormatName = keyof typeof formats;

let provider: ProviderClient | undefined;
afterEach(() => provider?.close());

/** Thinks, and reads two pages in each step; then answers. */
function reader(answer: ScriptedReply): () => ScriptedReply {
  let step = 0;
  return () => {
    const thinking = `Step ${++step}.`;
    if (step > steps) return { thinking, ...answer };
    const calls = [2 * step - 1, 2 * step].map((page) => ({ name: "read_page", args: { page } }));
    return { thinking, calls };
  };
}

interface Run {
  readonly name: string;
  readonly streaming: boolean;
  readonly format: FormatName;
  /** The window that the agent is told, and the one that the provider has. */
  readonly told: number;
  readonly has?: number;
}

async function play({ name, streaming, format, told, has }: Run) {
  const { responseFormat, answer } = formats[format];
  const options: ProviderOptions = {
    reply: reader(answer),
    ...(has === undefined ? {} : { contextWindow: has }),
  };
  const client = (provider = await providerClients[name]!(options));
  const events: ContextEvent[] = [];
  const files = VirtualFilesystem.inMemory();
  const context = { files, contextWindow: told, onEvent: (event: ContextEvent) => events.push(event) };
  const agent = createAgent({
    model: client.model(),
    tools: [readPageTool],
    responseFormat,
    middleware: [contextMiddleware({ summaryModel: "none", ...context, fileTools: [] })],
    checkpointer: new MemorySaver(),
  });
  const input = { messages: [new HumanMessage("Read all pages.")] };
  const streamMode = streaming ? (["messages", "values"] as const) : (["values"] as const);
  const config = { ...inThread("t"), recursionLimit: 100, streamMode: [...streamMode] };
  let structuredResponse: unknown;
  for await (const [mode, chunk] of await agent.stream(input, config)) {
    if (mode === "values")
      structuredResponse = (chunk as { readonly structuredResponse?: unknown }).structuredResponse;
  }
  const thread = await readThread(agent.graph, inThread("t"), context);
  return { structuredResponse, thread, events, calls: client.calls() };
}

/** Pages as the tool returned them, in the order of the calls. */
async function wholeBook(): Promise<readonly unknown[]> {
  return Promise.all(Array.from({ length: pages }, (_, index) => readPageTool.invoke({ page: index + 1 })));
}

function compactions(events: readonly ContextEvent[]): readonly ContextEvent[] {
  return events.filter(({ type }) => type === "context.compaction");
}

const cases = Object.keys(providerClients).flatMap((name) =>
  [false, true].flatMap((streaming) =>
    (Object.keys(formats) as FormatName[]).map((format) => ({ name, streaming, format })),
  ),
);

it.each(cases)(
  "$name accepts a compacted context of parallel calls and thinking, and answers as $format: streaming $streaming",
  async (run) => {
    const { structuredResponse, thread, events, calls } = await play({ ...run, told: contextWindow });

    expect(structuredResponse).toMatchObject({ pages });
    expect(calls.map(({ error }) => error)).toEqual(Array(steps + 1).fill(undefined));
    expect(compactions(events).length).toBeGreaterThan(0);
    const sizes = calls.map(({ request }) => JSON.stringify(request).length / 4);
    expect(Math.max(...sizes)).toBeLessThan(1.1 * contextWindow);
    const results = thread.filter((message) => message.type === "tool" && message.name === "read_page");
    expect(results.map(({ content }) => content)).toEqual(await wholeBook());
  },
);

it.each(cases.filter(({ format }) => format === "a tool call"))(
  "$name refuses a prompt that is too long, and the agent compacts and goes on: streaming $streaming",
  async (run) => {
    const { structuredResponse, thread, events, calls } = await play({ ...run, told: 200_000, has: 20_000 });

    const refused = calls.filter(({ error }) => error !== undefined);
    expect(refused.length).toBeGreaterThan(0);
    expect(calls).toHaveLength(steps + 1 + refused.length);
    expect(compactions(events)).toMatchObject(refused.map(() => ({ reason: "overflow" })));
    expect(structuredResponse).toMatchObject({ pages });
    const results = thread.filter((message) => message.type === "tool" && message.name === "read_page");
    expect(results.map(({ content }) => content)).toEqual(await wholeBook());
  },
);
