import type { BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messageText } from "../messages/text.js";
import { isPinned, pin } from "../retention/pin.js";
import { historyArbitrary, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { offloadLargeUserMessages } from "./offload-large-user-messages.js";

const log = "2024-05-01T12:00:00Z INFO worker started\n".repeat(3_000);

describe("a user message that does not fit the window", () => {
  it("a user message larger than the window keeps its beginning, its end, its rules and the path of the original", () => {
    const pasted = `Sum up this log.\n${log}Never name a customer.\n${log}Answer in French.`;
    const { messages, folds } = offloadLargeUserMessages([talk.human("h", pasted)], { maxTokens: 16_000 });
    const text = messages.map(messageText).join("");
    expect(text.startsWith("Sum up this log.\n")).toBe(true);
    expect(text.endsWith("Answer in French.")).toBe(true);
    expect(text).toContain("- Never name a customer.");
    expect(text).toContain(folds[0]?.path);
    expect(estimateTokens(messages)).toBeLessThanOrEqual(2_000);
  });

  it("only the user message that does not fit is archived", () => {
    const messages: readonly BaseMessage[] = [
      talk.system("s", log),
      talk.human("h1", "Why does it stop?"),
      talk.human("h2", log),
      talk.ai("a", log),
      talk.result("r", "c", log),
    ];
    const { messages: after, writes, folds } = offloadLargeUserMessages(messages, { maxTokens: 20_000 });
    expect(folds.map(({ kind, covers }) => [kind, covers])).toEqual([["offload", ["h2"]]]);
    expect(writes).toEqual([{ path: folds[0]?.path, content: log }]);
    expect(after.filter((message) => !messages.includes(message)).map(({ id }) => id)).toEqual(["h2"]);
  });

  it("a user message is shortened once, and never when it is pinned", () => {
    const once = offloadLargeUserMessages([talk.human("h", log)], { maxTokens: 4_000 });
    const unchanged = { messages: once.messages, writes: [], folds: [] };
    expect(offloadLargeUserMessages(once.messages, { maxTokens: 4_000 })).toEqual(unchanged);
    const pinned = [pin(talk.human("h", log))];
    expect(offloadLargeUserMessages(pinned, { maxTokens: 4_000, pin: isPinned }).folds).toEqual([]);
  });
});

it("in any history, a user message that fits is never changed, and one that does not fit is shortened to fit", () => {
  const history = historyArbitrary({ large: 4_000 });
  fc.assert(
    fc.property(history, fc.constantFrom(2_500, 8_000), (messages, maxTokens) => {
      const { messages: after, folds } = offloadLargeUserMessages(messages, { maxTokens });
      const isTooLarge = (message: BaseMessage) =>
        message.getType() === "human" && estimateTokens([message]) > maxTokens;
      expect(after.filter((message) => !messages.includes(message))).toHaveLength(folds.length);
      expect(messages.filter((message) => !after.includes(message))).toEqual(messages.filter(isTooLarge));
      expect(after.filter(isTooLarge)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
