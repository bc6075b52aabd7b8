import { getNotificationMetadata } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { foldNode } from "./folding/fold-node.js";
import { compactionNode } from "./nodes/compaction-node.js";
import { predictiveContextNode } from "./predictive/predictive-context-node.js";
import { inThread } from "./testing/agent-graph.js";
import { filler, history, messagesAfter } from "./testing/history.js";

const files = VirtualFilesystem.inMemory();
const messages = history({ steps: 25, result: (step) => filler(300, step) });

it.each([
  ["a compaction", compactionNode({ files, contextWindow: 6_000 })],
  ["a fold", foldNode({ files, contextWindow: 6_000 })],
  ["a selection", predictiveContextNode({ files, budget: 4_000 })],
])(
  "every message that %s adds is a notification of LangChain, not something that a user typed",
  async (_, node) => {
    const update = await node({ messages, compaction: {} }, inThread("t"));
    expect(Overwrite.isInstance(update["messages"])).toBe(true);
    const known = new Set(messages.map(({ id }) => id));
    const added = messagesAfter(update, messages).filter(({ id }) => !known.has(id));
    expect(added.length).toBeGreaterThan(0);
    for (const message of added) expect(getNotificationMetadata(message)?.source).toBe("summarization");
  },
);
