import { AIMessage } from "@langchain/core/messages";
import { defaults, estimateTokens, foldOf, toStoredMessage } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { unfolded } from "../testing/storage.js";
import { compactionNode } from "./compaction-node.js";
import { maskToolResultsNode } from "./rung-nodes.js";

const config = inThread("t");
const messages = history({ steps: 16, result: (step) => filler(500, step) });

it("replaces the results of all but the ten newest steps by a line each, once the trigger is met", async () => {
  const files = VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const node = maskToolResultsNode({ files, contextWindow: 9_000, onEvent: (event) => events.push(event) });
  const after = messagesAfter(await node({ messages }, config), messages);
  const masked = after.filter((message) => foldOf(message)?.kind === "mask");

  expect(masked.map((message) => message.id)).toEqual([0, 1, 2, 3, 4, 5].map((step) => `result-${step}`));
  expect(masked.map((message) => message.text)).toEqual(
    masked.map((message) => `[Result of an earlier step: ${foldOf(message)?.path}]`),
  );
  expect(events.map((event) => event.type === "context.fold" && event.reason)).toEqual(
    masked.map(() => "trigger"),
  );
  expect(await unfolded(after, files, "t")).toEqual(messages.map((message) => toStoredMessage(message)));
});

it("keeps the results of the newest keepSteps steps", async () => {
  const node = maskToolResultsNode({
    files: VirtualFilesystem.inMemory(),
    contextWindow: 9_000,
    keepSteps: 3,
  });
  const after = messagesAfter(await node({ messages }, config), messages);
  expect(after.filter((message) => foldOf(message)?.kind === "mask")).toHaveLength(13);
});

it("does nothing below the trigger", async () => {
  const node = maskToolResultsNode({ files: VirtualFilesystem.inMemory(), contextWindow: 90_000 });
  expect(await node({ messages }, config)).toEqual({});
});

it("the ladder masks the oldest results first, and no more than bring the context to half of the trigger", async () => {
  const contextWindow = 20_000;
  const node = compactionNode({
    files: VirtualFilesystem.inMemory(),
    contextWindow,
    tokenCounter: estimateTokens,
    model: new ScriptedModel(() => new AIMessage("## Findings\n- pages")),
  });
  const long = history({ steps: 40, result: (step) => filler(450, step) });
  const after = messagesAfter(await node({ messages: long }, config), long);
  const masked = after.flatMap((message) => (foldOf(message)?.kind === "mask" ? [message.id] : []));
  const half = (contextWindow * defaults.trigger.fraction) / 2;

  expect(masked).toEqual(masked.map((_, step) => `result-${step}`));
  expect(masked.length).toBeGreaterThan(5);
  expect(masked.length).toBeLessThan(30);
  expect(estimateTokens(after)).toBeLessThanOrEqual(half);
  expect(estimateTokens(after)).toBeGreaterThan(half - 500);
});
