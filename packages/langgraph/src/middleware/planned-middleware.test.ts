import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { inThread } from "../testing/agent-graph.js";
import { readingJob } from "../testing/reading-job.js";
import { contextMiddleware } from "./context-middleware.js";

const prices = { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 };

async function read(pages: number, options: Partial<ContextOptions> & { readonly contextWindow: number }) {
  const events: ContextEvent[] = [];
  const job = readingJob({ pages, lines: 30 });
  const files = VirtualFilesystem.inMemory();
  const keep = { tokens: 1_500 };
  const onEvent = (event: ContextEvent) => events.push(event);
  const middleware = [
    contextMiddleware({ keep, summaryModel: options.model ?? "none", ...options, files, onEvent }),
  ];
  const agent = createAgent({ model: job.model, tools: job.tools, middleware });
  await agent.invoke({ messages: [job.ask("atlas")] }, inThread("t"));
  return events;
}

it("plans as the node does", async () => {
  const events = await read(30, { contextWindow: 60_000, planner: { prices } });
  const compactions = events.flatMap((event) => (event.type === "context.compaction" ? [event] : []));
  expect(new Set(compactions.map(({ reason }) => reason))).toEqual(new Set(["planned"]));
  expect(compactions.every(({ bill }) => (bill?.savingPerStep ?? 0) > 0)).toBe(true);
});
