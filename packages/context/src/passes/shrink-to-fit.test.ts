import type { BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unseenStart } from "../cuts/find-cutoff.js";
import { foldOf } from "../folds/fold.js";
import { unfold } from "../folds/unfold.js";
import { withIds } from "../messages/message-id.js";
import { contentBlocks, messageText } from "../messages/text.js";
import { isToolResult, toolCalls } from "../messages/tool-calls.js";
import {
  addedIllegalities,
  historyArbitrary,
  messageImage,
  readerOf,
  recordWrites,
  talk,
} from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { overflowParts } from "./overflow-parts.js";
import { shrinkToFit } from "./shrink-to-fit.js";

const measure = { overheadTokens: 100, tokenRatio: 1.2 };
const size = (messages: readonly BaseMessage[]) => 100 + Math.ceil(1.2 * estimateTokens(messages));
const rows = (count: number) =>
  Array.from({ length: count }, (_, row) => `row ${row} holds the value ${row * 7919}`).join("\n");

const history = historyArbitrary({ maxTurns: 3, large: 2_000 }).map((messages) => withIds(messages));
const goals = fc.record({
  window: fc.constantFrom(500, 2_000, 6_000),
  share: fc.constantFrom(0.5, 0.9),
  pinned: fc.constantFrom(0, 5),
});
const cases = { numRuns: 120 };

function shrunk(
  messages: readonly BaseMessage[],
  { window, share, pinned }: { window: number; share: number; pinned: number },
) {
  const kept = new Set(messages.filter((_, index) => pinned > 0 && index % pinned === 1));
  const pin = (message: BaseMessage) => kept.has(message);
  const target = share * window;
  return { rewrite: shrinkToFit(messages, { measure, target, window, pin }), kept, pin, target };
}

/** True for a message that can be shortened: it has a long string, or is a user message with its middle. */
function isLarge(message: BaseMessage, window: number): boolean {
  if (message.getType() === "system") return false;
  const isCut = foldOf(message) !== undefined;
  if (message.getType() === "human") return !isCut && messageText(message).length > window / 2 + 400;
  const strings = [...contentBlocks(message), ...toolCalls(message).map(({ args }) => args)].flatMap(leaves);
  return strings.some((text) => text.length > 2_600);
}

function leaves(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  const { type, ...rest } = value as { type?: unknown };
  return type === "tool_use" || type === "image_url" ? [] : Object.values(rest).flatMap(leaves);
}

describe("shrinkToFit over any history with single messages of 0.3 to 3 windows in every role", () => {
  it("unfold restores every message that shrinkToFit changed, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(history, goals, async (messages, options) => {
        const archive = new Map<string, string>();
        const { rewrite } = shrunk(messages, options);
        recordWrites(archive, rewrite.writes);
        const opened = await unfold(rewrite.messages, readerOf(archive));
        expect(opened.map(messageImage)).toEqual(messages.map(messageImage));
      }),
      cases,
    );
  });

  it("shrinkToFit adds nothing that a provider refuses, and changes no system message and no pin", () => {
    fc.assert(
      fc.property(history, goals, (messages, options) => {
        const { rewrite, kept } = shrunk(messages, options);
        expect(addedIllegalities(messages, rewrite.messages)).toEqual([]);
        const fixed = messages.filter((one) => one.getType() === "system" || kept.has(one));
        expect(fixed.filter((message) => !rewrite.messages.includes(message))).toEqual([]);
      }),
      cases,
    );
  });

  it("shrinkToFit fits the window, or leaves only messages that cannot be shortened", () => {
    let fitted = 0;
    fc.assert(
      fc.property(history, goals, (messages, options) => {
        const { rewrite, pin } = shrunk(messages, options);
        const isOver = size(rewrite.messages) > options.window;
        fitted += !isOver && size(messages) > options.window ? 1 : 0;
        const large = rewrite.messages.filter((one) => !pin(one) && isLarge(one, options.window));
        expect(isOver ? large.map(messageImage) : []).toEqual([]);
      }),
      cases,
    );
    expect(fitted).toBeGreaterThan(5);
  });

  it("shrinkToFit shows unseen results at least as previews, and keeps user messages that fit whole", () => {
    fc.assert(
      fc.property(history, goals, (messages, options) => {
        const { rewrite } = shrunk(messages, options);
        const unseen = rewrite.messages.slice(unseenStart(messages));
        const masked = unseen.filter((message) => foldOf(message)?.kind === "mask");
        expect(masked).toEqual([]);
        const isCut = rewrite.messages.some((one) => one.getType() === "human" && foldOf(one) !== undefined);
        const whole = messages.filter((message) => message.getType() === "human");
        expect(isCut && size(whole) <= options.window && size(messages) <= options.window).toBe(false);
      }),
      cases,
    );
  });

  it("shrinkToFit is deterministic, and changes nothing the second time", () => {
    fc.assert(
      fc.property(history, goals, (messages, options) => {
        const first = shrunk(messages, { ...options, pinned: 0 }).rewrite;
        const again = shrunk(messages, { ...options, pinned: 0 }).rewrite;
        expect(again.folds).toEqual(first.folds);
        expect(again.writes).toEqual(first.writes);
        const second = shrunk(first.messages, { ...options, pinned: 0 }).rewrite;
        expect(second.folds.map(({ id }) => id)).toEqual([]);
      }),
      cases,
    );
  });
});

function talked(first: number, newest: number): readonly BaseMessage[] {
  return [
    talk.human("h1", rows(first)),
    talk.ai("a", "Understood."),
    talk.human("h2", `${rows(newest)}\nAnswer in French.`),
  ];
}

describe("the newest step", () => {
  const thread = [
    talk.human("h", "Write the table, then explain it in French."),
    talk.calls("c", { a: ["write_file", { file_path: "table.txt", content: rows(2_000) }] }),
    talk.result("r", "a", "Written."),
  ];

  it("shrinkToFit replaces the input of a call even before the model sees its result", () => {
    const { messages, folds } = shrinkToFit(thread, { measure, target: 2_000, window: 4_000 });
    expect(folds.map(({ kind, covers }) => [kind, covers])).toEqual([["input", ["c"]]]);
    expect(size(messages)).toBeLessThan(500);
  });

  it("shrinkToFit keeps an unseen result whole as long as the prompt fits the window", () => {
    const reading = [
      ...thread.slice(0, 1),
      talk.calls("c", { a: ["read"] }),
      talk.result("r", "a", rows(300)),
    ];
    expect(size(reading)).toBeGreaterThan(3_000);
    expect(shrinkToFit(reading, { measure, target: 1_000, window: 6_000 }).folds).toEqual([]);
    const { folds } = shrinkToFit(reading, { measure, target: 1_000, window: 3_000 });
    expect(folds.map(({ kind, covers }) => [kind, covers])).toEqual([["offload", ["r"]]]);
  });

  it("shrinkToFit shortens older user messages before the newest, unless the newest alone does not fit", () => {
    const goals = { measure, target: 2_000, window: 4_000 };
    expect(shrinkToFit(talked(150, 200), goals).folds.flatMap(({ covers }) => covers)).toEqual(["h1"]);
    const { messages, folds } = shrinkToFit(talked(50, 900), goals);
    expect(folds.flatMap(({ covers }) => covers)).toEqual(["h2"]);
    expect(messages.map(messageText).at(-1)).toMatch(/Answer in French\.$/);
  });
});

it("overflowParts lists the parts that cannot be shortened, the largest first", () => {
  const messages = [
    talk.system("s", rows(100)),
    talk.human("h", rows(10)),
    talk.calls("c", { a: ["read"] }),
    talk.result("r", "a", rows(200)),
  ];
  const pin = isToolResult;
  const parts = overflowParts(messages, { measure, pin, tokenCounter: estimateTokens });
  expect(parts.map(({ reason, messages: ids }) => [reason, ids])).toEqual([
    ["pinned", ["r"]],
    ["system", ["s"]],
    ["user", ["h"]],
    ["overhead", []],
    ["reply", ["c"]],
  ]);
  const sum = parts.reduce((total, { tokens }) => total + tokens, 0);
  expect(Math.abs(sum - size(messages))).toBeLessThan(5);
});
