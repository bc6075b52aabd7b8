import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { copyMessage } from "@palimpsest/context";
import { isSummary } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { contextMiddleware } from "../../middleware/context-middleware.js";
import { withCompaction } from "../../nodes/with-compaction.js";
import type { ContextOptions } from "../../options/context-options.js";
import { inThread } from "../../testing/agent-graph.js";
import { filler, history } from "../../testing/history.js";
import { ScriptedModel } from "../../testing/scripted-model.js";
import { readThread } from "../../threads/read-thread.js";

const checkpointer = () => new MemorySaver();

const hosts = {
  createAgent: (model: ScriptedModel, options: ContextOptions) =>
    createAgent({
      model,
      tools: [],
      checkpointer: checkpointer(),
      middleware: [contextMiddleware({ ...options, fileTools: [] })],
    }).graph,
  withCompaction: (model: ScriptedModel, options: ContextOptions) => {
    const callModel = async ({ messages }: { messages: BaseMessage[] }) => ({
      messages: [await model.invoke(messages)],
    });
    return new StateGraph(MessagesAnnotation)
      .addNode("model", withCompaction(callModel, options))
      .addEdge(START, "model")
      .compile({ checkpointer: checkpointer() });
  },
} as const;

/** What the model said weighs most, so that no rung below a summary makes it much shorter. */
const talk = history({ steps: 40 }).map((message, at) =>
  message.getType() === "ai" ? copyMessage(message, { content: filler(270, at) }) : message,
);

describe.each(Object.entries(hosts))("a summary that the model has written, in %s", (_, build) => {
  it.each([{ tokens: 1_500 }, { messages: 4 }])(
    "is paid for once, however often the call after it fails: keep %o",
    async (keep) => {
      let summaries = 0;
      let failures = 0;
      const summaryModel = new ScriptedModel(
        () => {
          summaries++;
          return new AIMessage("## Findings\n- Every tenth row is a multiple of seven");
          // Large enough to be asked once.
        },
        0,
        100_000,
      );
      const model = new ScriptedModel((prompt) => {
        if (prompt.some(isSummary) && failures++ < 3) throw new Error("503 service unavailable");
        return new AIMessage({ id: "reply", content: "Done." });
      });
      const files = VirtualFilesystem.inMemory();
      const agent = build(model, { files, summaryModel, contextWindow: 12_000, keep });
      const goOn = Array.from({ length: 3 }, (__, at) => [
        new HumanMessage({ id: `g${at}`, content: "Go on." }),
      ]);
      for (const messages of [talk, ...goOn.slice(0, 2)])
        await expect(agent.invoke({ messages: [...messages] }, inThread("t"))).rejects.toThrow("503");
      await agent.invoke({ messages: [...(goOn[2] ?? [])] }, inThread("t"));
      expect({ summaries, failures }).toEqual({ summaries: 1, failures: 4 });
      const thread = await readThread(agent, inThread("t"), { files });
      expect(thread.map(({ id }) => id)).toEqual([...[...talk, ...goOn.flat()].map(({ id }) => id), "reply"]);
    },
  );
});
