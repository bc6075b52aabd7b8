import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, messagesAfter } from "../testing/history.js";

it("with a trigger far below the window, the words of a user who writes much never fill the context up to it", async () => {
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
