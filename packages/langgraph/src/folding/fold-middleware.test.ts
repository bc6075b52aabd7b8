import { MemorySaver } from "@langchain/langgraph";
import { blocksOf, estimateTokens } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { inThread } from "../testing/agent-graph.js";
import { readingJob } from "../testing/reading-job.js";
import { unfolded } from "../testing/unfolded.js";
import { foldMiddleware } from "./fold-middleware.js";

it.each([
  ["contextWindow", { contextWindow: 12_000 }, undefined],
  ["the profile of the agent's model", {}, 12_000],
])(
  "lets a createAgent agent fold its context, with the ladder behind it and the window from %s, and loses nothing",
  { timeout: 30_000 },
  async (_, window, contextWindow) => {
    const job = readingJob({
      pages: 60,
      lines: 40,
      ...(contextWindow === undefined ? {} : { contextWindow }),
    });
    const files = VirtualFilesystem.inMemory();
    const options = { files, ...window };
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
    // A host that sets no name on its messages still gets one from createAgent.
    const opened = await unfolded(messages, files, "t");
    expect(opened.map(({ data }) => data["content"])).toEqual(
      job.thread("atlas").map(({ data }) => data["content"]),
    );
  },
);
