import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent, createMiddleware } from "langchain";
import { expect, it } from "vitest";
import { inThread } from "../testing/agent-graph.js";
import { readingJob } from "../testing/reading-job.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { contextMiddleware } from "./context-middleware.js";

const files = () => VirtualFilesystem.inMemory();
const isSummaryCall = (prompt: readonly BaseMessage[]) => prompt[0]?.getType() === "system";

/** An agent that reads 40 pages in a window of 9,000 tokens, and whose model answers requests for a summary as well. */
function reader(options: Partial<Parameters<typeof contextMiddleware>[0]> = {}) {
  const job = readingJob({ pages: 40, lines: 30, contextWindow: 9_000 });
  const { reply } = job.model;
  const model = new ScriptedModel(
    (prompt, call) =>
      isSummaryCall(prompt) ? new AIMessage("## Findings\n- OWNSUMMARY of the pages") : reply(prompt, call),
    0,
    9_000,
  );
  const middleware = [
    contextMiddleware({ files: files(), trigger: { messages: 20 }, keep: { messages: 4 }, ...options }),
  ];
  const agent = createAgent({ model, tools: job.tools, middleware, checkpointer: new MemorySaver() });
  return { agent, model, ask: job.ask("atlas") };
}

it("the middleware has its summaries written by the agent's own model if no option names one", async () => {
  const { agent, model, ask } = reader();
  const { messages } = await agent.invoke({ messages: [ask] }, { ...inThread("t"), recursionLimit: 300 });
  expect(model.prompts.filter(isSummaryCall).length).toBeGreaterThan(0);
  expect(messages.some(({ text }) => text.includes("OWNSUMMARY"))).toBe(true);
});

it("the middleware calls no model for a summary with summaryModel none", async () => {
  const { agent, model, ask } = reader({ summaryModel: "none" });
  const { messages } = await agent.invoke({ messages: [ask] }, { ...inThread("t"), recursionLimit: 300 });
  expect(model.prompts.filter(isSummaryCall)).toEqual([]);
  expect(messages.length).toBeLessThan(30);
});

it("the summaries of a thread are written only by its own model, whatever model other threads call", async () => {
  const models = new Map(
    ["t0", "t1"].map((thread) => {
      const { reply } = readingJob({ pages: 40, lines: 30 }).model;
      return [
        thread,
        new ScriptedModel(
          (prompt, call) =>
            isSummaryCall(prompt) ? new AIMessage("## Findings\n- Pages") : reply(prompt, call),
          0,
          9_000,
        ),
      ];
    }),
  );
  const byThread = createMiddleware({
    name: "KeyOfTheUser",
    wrapModelCall: (request, handler) => {
      const thread = (request.runtime.configurable as { thread_id: string }).thread_id;
      return handler({ ...request, model: models.get(thread)! });
    },
  });
  const job = readingJob({ pages: 40, lines: 30 });
  const options = { files: files(), trigger: { messages: 20 }, keep: { messages: 4 } };
  const agent = createAgent({
    model: job.model,
    tools: job.tools,
    middleware: [byThread, contextMiddleware(options)],
    checkpointer: new MemorySaver(),
  });
  await Promise.all(
    [...models.keys()].map(async (thread) =>
      agent.invoke({ messages: [job.ask(thread)] }, { ...inThread(thread), recursionLimit: 300 }),
    ),
  );
  for (const [thread, { prompts }] of models) {
    const summarized = prompts.filter(isSummaryCall).map((prompt) => prompt.at(-1)?.text ?? "");
    expect(summarized.length).toBeGreaterThan(0);
    expect(summarized.filter((text) => !text.includes(`Read the book ${thread}.`))).toEqual([]);
  }
});
