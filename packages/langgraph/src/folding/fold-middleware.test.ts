import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { estimateTokens } from "@palimpsest/context";
import { blocksOf } from "@palimpsest/context/folding";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import { z } from "zod";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { readingJob } from "../testing/reading-job.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { unfolded } from "../testing/storage.js";
import { readThread } from "../threads/read-thread.js";
import { foldMiddleware } from "./fold-middleware.js";

it.each([
  ["contextWindow", { contextWindow: 12_000 }, undefined],
  ["the profile of the agent's model", {}, 12_000],
])(
  "foldMiddleware folds the context of a createAgent agent without loss, with the window from %s",
  async (_, window, contextWindow) => {
    const job = readingJob({
      pages: 60,
      lines: 40,
      ...(contextWindow === undefined ? {} : { contextWindow }),
    });
    const files = VirtualFilesystem.inMemory();
    const options = { files, summaryModel: "none", ...window } as const;
    const agent = createAgent({
      model: job.model,
      tools: job.tools,
      middleware: [foldMiddleware(options), contextMiddleware(options)],
      checkpointer: new MemorySaver(),
    });
    const { messages } = await agent.invoke({ messages: [job.ask("atlas")] }, inThread("t"));

    expect(job.model.prompts).toHaveLength(61);
    expect(job.model.prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
    expect(Math.max(...job.model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThan(6_000);
    expect(blocksOf(messages).length).toBeGreaterThan(20);
    expect(job.model.prompts.at(-1)?.[0]?.text).toContain("Say it with the tool fold_context");
    expect(job.model.bound.at(-1)?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["fold_context", "unfold"]),
    );
    // createAgent names its messages, also where the host does not.
    const opened = await unfolded(messages, files, "t");
    expect(opened.map(({ data }) => data["content"])).toEqual(
      job.thread("atlas").map(({ data }) => data["content"]),
    );
  },
);

it.each(["first", "later"])(
  "foldMiddleware strips directives from the %s final answer and follows them",
  async (turn) => {
    const directive =
      '<context>{"fold":{"type":"granular_condensation","summary_text":"R-4711 it is"}}</context>';
    const model = new ScriptedModel(
      (prompt, call) => {
        const acts = prompt.at(-1)?.text === "Look it up." && turn === "later";
        const calls = acts ? [{ id: `c${call}`, name: "ls", args: {} }] : [];
        return new AIMessage({
          content: acts ? "Looking." : `It is R-4711.\n${directive}`,
          tool_calls: calls,
        });
      },
      0,
      32_000,
    );
    const options = { files: VirtualFilesystem.inMemory(), summaryModel: "none" } as const;
    const agent = createAgent({
      model,
      tools: [],
      middleware: [foldMiddleware(options), contextMiddleware(options)],
      checkpointer: new MemorySaver(),
    });
    const ask = (content: string) => agent.invoke({ messages: [new HumanMessage(content)] }, inThread("t"));
    const first = await ask("Look it up.");
    expect(first.messages.at(-1)?.text).toBe("It is R-4711.");
    expect(first.messages.filter((message) => message.text.includes("R-4711"))).toHaveLength(1);
    await ask("Thanks!");
    const { messages } = await ask("Are you sure?");
    expect(messages.at(-1)?.text).toBe("It is R-4711.");
    expect(messages.filter((message) => message.text.includes("<context>"))).toEqual([]);
    expect(blocksOf(messages).some(({ text }) => text === "R-4711 it is")).toBe(true);
  },
);

it("foldMiddleware without contextMiddleware sends no prompt over the window", async () => {
  const page = tool(({ number }) => filler(2_500, number), {
    name: "page",
    description: "Reads a page.",
    schema: z.object({ number: z.number() }),
  });
  const model = new ScriptedModel((_, call) => {
    const numbers = call % 3 < 2 ? [call, call + 100, call + 200] : [];
    const calls = numbers.map((number) => ({ id: `c${number}`, name: "page", args: { number } }));
    return new AIMessage({ id: `a${call}`, content: "So.", tool_calls: calls });
  });
  const files = VirtualFilesystem.inMemory();
  const agent = createAgent({
    model,
    tools: [page],
    middleware: [foldMiddleware({ files, contextWindow: 6_000, summaryModel: "none" })],
    checkpointer: new MemorySaver(),
  });
  for (const turn of [0, 1, 2])
    await agent.invoke(
      { messages: [new HumanMessage({ id: `h${turn}`, content: "Read on." })] },
      inThread("t"),
    );
  expect(model.prompts).toHaveLength(9);
  expect(Math.max(...model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThanOrEqual(6_000);
  const thread = await readThread(agent.graph, inThread("t"), { files });
  expect(thread.filter((message) => message.text === filler(2_500, 100))).toHaveLength(1);
});
