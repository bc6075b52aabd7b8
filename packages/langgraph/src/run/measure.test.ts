import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { estimateTokens } from "@palimpsest/context";
import { talk } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { atMostOf, measureOf } from "./measure.js";

const ask = (id: string, tokens: number) =>
  new HumanMessage({ id, content: `${id} ${"a line of text\n".repeat(tokens / 4)}` });

describe("measureOf", () => {
  const options = { tokenCounter: estimateTokens };
  const messages = [ask("edited", 2_000), talk.ai("seen", "Seen.", 500), ask("newest", 100)];
  const behind = [...messages, talk.ai("later", "Seen.", 2_150)];

  it("is not below the count of what the host has changed since the newest report", () => {
    expect(measureOf(messages, options, {}).tokens).toBeLessThan(700);
    const state = { editedAt: "newest" };
    expect(measureOf(messages, options, state).tokens).toBe(estimateTokens(messages));
    expect(atMostOf(messages, options, state)).toBeGreaterThanOrEqual(estimateTokens(messages));
  });

  it("is not below the newest report, which counts what is sent beside the messages", () => {
    const reported = [...messages.slice(0, -2), talk.ai("seen", "Seen.", 9_000), ask("newest", 100)];
    const state = { editedAt: "newest" };
    expect(measureOf(reported, options, state)).toEqual(measureOf(reported, options, {}));
  });

  it("starts from a report behind the change", () => {
    expect(measureOf(behind, options, { editedAt: "newest" })).toEqual(measureOf(behind, options, {}));
    expect(measureOf(behind, options, { editedAt: "gone" })).toEqual(measureOf(behind, options, {}));
  });
});

const contextWindow = 4_000;
const hosts = {
  "a node": (model: ScriptedModel) =>
    agentGraph({
      model,
      tools: [],
      compact: compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow }),
    }),
  "the middleware": (model: ScriptedModel) =>
    createAgent({
      model,
      middleware: [
        contextMiddleware({
          files: VirtualFilesystem.inMemory(),
          contextWindow,
          summaryModel: "none",
          fileTools: [],
        }),
      ],
      checkpointer: new MemorySaver(),
    }),
};

it.each(Object.entries(hosts))(
  "%s sends no prompt over the window after a host has put a longer message in place of one, and a call has failed",
  async (_, host) => {
    const model = new ScriptedModel((messages, call) => {
      if (messages.at(-1)?.id === "third") throw new Error("503: the provider is down");
      const thought = { type: "thinking", thinking: "It is short.", signature: "signed" };
      return new AIMessage({ id: `a${call}`, content: call === 0 ? [thought] : "Seen." });
    });
    const graph = host(model);
    const run = async (...messages: BaseMessage[]) => graph.invoke({ messages }, inThread("t"));
    await run(ask("zeroth", 10));
    await run(ask("first", 10));
    await run(ask("second", 1_200));
    await expect(run(ask("first", 1_500), ask("third", 10))).rejects.toThrow("503");
    const [failed = []] = model.prompts.slice(-1);
    await run(ask("fourth", 1_500));

    expect(estimateTokens([...failed, ask("fourth", 1_500)])).toBeGreaterThan(contextWindow);
    expect(estimateTokens(model.prompts.at(-1) ?? [])).toBeLessThan(contextWindow);
  },
);
