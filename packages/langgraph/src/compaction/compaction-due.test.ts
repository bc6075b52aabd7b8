import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { estimateTokens, tokenCounterFrom, type TokenCounter } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { compactionNode } from "../nodes/compaction-node.js";
import { resolveOptions } from "../options/resolve-options.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { measureOf } from "../run/measure.js";
import { compactionDue } from "./compaction-due.js";

const files = VirtualFilesystem.inMemory();
/** Counts everything: it has no upper bound. */
const counted: TokenCounter = (messages, parts) => estimateTokens(messages, parts);

/** A thread whose newest answer, before the newest results, reports the tokens of its prompt. */
function reportedThread(steps: number, tokens: number): BaseMessage[] {
  const messages = history({ steps, result: (step) => filler(50, step) });
  const newest = messages.findLastIndex((message) => message.getType() === "ai");
  const usage_metadata = { input_tokens: tokens, output_tokens: 1, total_tokens: tokens + 1 };
  return messages.map((message, index) =>
    index === newest ? Object.assign(message as AIMessage, { usage_metadata }) : message,
  );
}

it("a step after reported usage counts none of the messages that the usage covers, even if they were just loaded", async () => {
  const texts: string[] = [];
  const tokenCounter = tokenCounterFrom((text) => texts.push(text) && 1, 1);
  const node = compactionNode({ files, contextWindow: 100_000, tokenCounter });
  // The first message of all tells whether the counter returns promises.
  await node({ messages: history({ steps: 1 }), compaction: {} }, inThread("t"));
  texts.length = 0;
  const messages = reportedThread(40, 9_000);
  await node({ messages, compaction: {} }, inThread("t"));
  const newest = messages.findLastIndex((message) => message.getType() === "ai");
  const old = new Set(messages.slice(0, newest).map(({ content }) => content));
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.filter((text) => old.has(text))).toEqual([]);
});

it("a compaction is due at the same size with and without the shortcut by lengths", () => {
  const windows = fc.integer({ min: 500, max: 20_000 });
  const reports = fc.integer({ min: 0, max: 20_000 });
  fc.assert(
    fc.property(windows, reports, fc.integer({ min: 1, max: 30 }), (contextWindow, tokens, steps) => {
      const messages = reportedThread(steps, tokens);
      const options = { files, contextWindow, trigger: { fraction: 0.8 } };
      const due = compactionDue(messages, resolveOptions(options), {});
      const size = measureOf(messages, resolveOptions({ ...options, tokenCounter: counted }), {}).tokens;
      expect(due.reason).toBe(size >= 0.8 * contextWindow ? "trigger" : undefined);
      expect(due.measure().tokens).toBe(size);
    }),
  );
});

it("a prompt is due below the window by the share by which the provider has counted more than was expected", () => {
  const options = resolveOptions({ files, contextWindow: 10_000, trigger: { fraction: 1 } });
  const messages = reportedThread(40, 8_500);
  const counted = estimateTokens(
    messages.slice(
      0,
      messages.findLastIndex((one) => one.getType() === "ai"),
    ),
  );
  const state = (reported: number) => ({ overheadTokens: reported - counted, tokenRatio: 1 });
  expect(compactionDue(messages, options, state(8_500)).reason).toBeUndefined();
  expect(compactionDue(messages, options, state(6_800)).reason).toBe("trigger");
  const remembered = { ...state(8_500), countError: 0.25 };
  expect(compactionDue(messages, options, remembered).reason).toBe("trigger");
});

it("few messages are not compacted at the trigger below minMessages, and are over the window", () => {
  const messages = history({ steps: 3, result: (step) => filler(3_000, step) });
  const tokens = estimateTokens(messages);
  const reasonAt = (share: number, minMessages?: number) => {
    const contextWindow = Math.round(tokens / share);
    const options = { files, contextWindow, ...(minMessages === undefined ? {} : { minMessages }) };
    return compactionDue(messages, resolveOptions(options), {}).reason;
  };
  expect(reasonAt(0.9)).toBe("trigger");
  expect(reasonAt(0.9, messages.length)).toBe("trigger");
  expect(reasonAt(0.9, messages.length + 1)).toBeUndefined();
  expect(reasonAt(1.1, messages.length + 1)).toBe("trigger");
});
