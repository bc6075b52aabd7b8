import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { mergeCompaction, type CompactionState } from "../run/context-state.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";

it("with a trigger far below the window, the messages of a user who writes much never fill the context up to it", async () => {
  const files = VirtualFilesystem.inMemory();
  const node = compactionNode({
    files,
    contextWindow: 100_000,
    trigger: { fraction: 0.1 },
    keep: { turns: 1 },
  });
  let state: Record<string, unknown> = {};
  let messages: readonly BaseMessage[] = [];
  const sizes: number[] = [];
  for (let turn = 0; turn < 40; turn++) {
    const asked = [
      ...messages,
      new HumanMessage({ id: `h${turn}`, content: filler(600, turn) }),
      new AIMessage({ id: `a${turn}`, content: `Noted: ${turn}.` }),
    ];
    const update = await node({ ...state, messages: asked }, inThread("t"));
    messages = messagesAfter(update, asked);
    state = { ...state, ...update };
    sizes.push(estimateTokens(messages));
  }
  expect(Math.max(...sizes)).toBeLessThan(11_000);
  expect(messages.filter((message) => message.getType() === "human").length).toBeGreaterThan(3);
});

it("with a trigger far below the window, no summary that the model writes is too long to be used", async () => {
  const strategies: string[] = [];
  const summaryModel = new ScriptedModel((_, call) => {
    const lines = (count: number) =>
      Array.from(
        { length: count },
        (__, line) => `- In call ${call}, row ${line} holds ${line * 7919 + call}`,
      );
    return new AIMessage(`## Findings\n${lines(80).join("\n")}\n## Decisions\n${lines(26).join("\n")}`);
  });
  const node = compactionNode({
    files: VirtualFilesystem.inMemory(),
    contextWindow: 128_000,
    trigger: { tokens: 2_000 },
    keep: { tokens: 200 },
    summaryModel,
    onEvent: (event) => event.type === "context.compaction" && strategies.push(event.strategy),
  });
  let compaction: CompactionState = {};
  let messages: readonly BaseMessage[] = history({ steps: 0 });
  for (let step = 0; step < 100; step++) {
    const newest = history({ steps: step + 1, result: (at) => filler(120, at) }).slice(-2);
    const asked = [...messages, ...newest];
    const update = await node({ compaction, messages: asked }, inThread("t"));
    messages = messagesAfter(update, asked);
    compaction = mergeCompaction(compaction, update["compaction"] as CompactionState);
  }
  expect(strategies.length).toBeGreaterThan(5);
  expect(new Set(strategies)).toEqual(new Set(["summarize"]));
});
