import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unchanged } from "../folds/rewrite.js";
import { withIds } from "../messages/message-id.js";
import { dropReasoning } from "../passes/drop-stale-reasoning.js";
import { trimToArchive } from "../passes/trim-to-archive.js";
import { planSummary } from "../summary/plan-summary.js";
import { addedIllegalities, historyArbitrary, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { cutPoints, foldRules, toolCallPairs } from "./cut-rules.js";

const both = { a: ["read_file"], b: ["read_file"] } as const;

function thinking(id: string, calls: readonly string[] = []): AIMessage {
  return new AIMessage({
    id,
    content: [{ type: "thinking", thinking: "hm", signature: "s" }],
    tool_calls: calls.map((call) => ({ type: "tool_call" as const, id: call, name: "ls", args: {} })),
  });
}

const turn = (name: string) => [
  talk.calls(`c${name}`, { call_0: ["ls"] }),
  talk.result(`r${name}`, "call_0", "x"),
];

/** Returns the average number of reads of a message in a list of `turns` turns. */
const readsPerMessage = (turns: number) => {
  let count = 0;
  const counting = <Message extends BaseMessage>(message: Message): Message =>
    Object.assign(message, {
      getType() {
        count++;
        return message.type;
      },
    });
  const messages = Array.from({ length: turns }, (_, turn) => [
    counting(talk.calls(`c${turn}`, { [`call_${turn}`]: ["ls"] })),
    counting(talk.result(`r${turn}`, `call_${turn}`, "x")),
  ]).flat();
  expect(cutPoints(messages)).toHaveLength(turns + 1);
  return count / messages.length;
};

describe("cutPoints", () => {
  it("keeps a call and its parallel results together", () => {
    const messages = [
      talk.human("h", "x"),
      talk.calls("c", both),
      talk.result("a", "a", "1"),
      talk.result("b", "b", "2"),
    ];
    expect(cutPoints(messages)).toEqual([0, 1, 4]);
  });

  it("keeps ten parallel calls together with their results", () => {
    const calls = Object.fromEntries(Array.from({ length: 10 }, (_, k) => [`c${k}`, ["ls"] as const]));
    const results = Object.keys(calls).map((id) => talk.result(`r${id}`, id, "x"));
    expect(
      cutPoints([talk.human("h", "x"), talk.calls("c", calls), ...results, talk.ai("e", "done")]),
    ).toEqual([0, 1, 12, 13]);
  });

  it("keeps late results, after those of another call, with their call", () => {
    const messages = [
      talk.calls("c1", { a: ["slow"] }),
      talk.calls("c2", { b: ["fast"] }),
      talk.result("rb", "b", "2"),
      talk.result("ra", "a", "1"),
      talk.ai("e", "done"),
    ];
    expect(cutPoints(messages)).toEqual([0, 4, 5]);
  });

  it("assigns a result to the newest call with its id", () => {
    expect(cutPoints([...turn("1"), ...turn("2"), ...turn("3")])).toEqual([0, 2, 4, 6]);
  });

  it("allows no cut after a call that still waits for one of its results", () => {
    const waiting = [talk.human("h", "x"), talk.calls("c", both), talk.result("a", "a", "1")];
    expect(cutPoints(waiting)).toEqual([0, 1]);
    expect(cutPoints([...waiting, talk.human("h2", "never mind")])).toEqual([0, 1, 3, 4]);
  });

  it("applies the same rule to invalid calls and to calls that are only in content blocks", () => {
    const inBlock = new AIMessage({ content: [{ type: "tool_use", id: "a", name: "ls", input: {} }] });
    const broken = new AIMessage({ content: "", invalid_tool_calls: [{ id: "a", name: "ls", args: "{" }] });
    expect(cutPoints([inBlock, talk.result("r", "a", "x")])).toEqual([0, 2]);
    expect(cutPoints([broken, talk.result("r", "a", "x")])).toEqual([0, 2]);
  });

  it("allows cuts around a result without a call", () => {
    expect(cutPoints([talk.human("h", "x"), talk.result("r", "nobody", "x")])).toEqual([0, 1, 2]);
  });

  it("keeps the steps of a tool loop with the reasoning before them", () => {
    const messages = [
      talk.human("h", "x"),
      thinking("t1", ["a"]),
      talk.result("ra", "a", "1"),
      talk.calls("c", { b: ["ls"] }),
      talk.result("rb", "b", "2"),
      thinking("t2"),
      talk.human("h2", "y"),
      talk.ai("e", "no reasoning, and none to keep"),
    ];
    expect(cutPoints(messages)).toEqual([0, 1, 5, 6, 7, 8]);
  });

  it("keeps encrypted and OpenAI reasoning with its tool loop", () => {
    for (const type of ["redacted_thinking", "reasoning"]) {
      const first = new AIMessage({ content: [{ type, data: "x" }] });
      expect(cutPoints([first, talk.ai("a", "y")])).toEqual([0, 2]);
    }
  });

  it("keeps a message that lost stale reasoning with the reasoning before it if a model that does not bind reasoning follows", () => {
    const lost = dropReasoning(
      unchanged([new AIMessage({ id: "l", content: [{ type: "reasoning", summary: [] }] })]),
      {
        isStale: () => true,
        newest: undefined,
        tokenCounter: () => 1,
      },
    ).messages;
    const unbound = new AIMessage({
      id: "u",
      content: [{ type: "thinking", thinking: "hm" }],
      response_metadata: { model: "claude-sonnet-4-5" },
    });
    expect(cutPoints([talk.human("h", "x"), unbound, ...lost, unbound])).toEqual([0, 1, 3, 4]);
    expect(cutPoints([talk.human("h", "x"), unbound, ...lost, thinking("t")])).toEqual([0, 1, 2, 3, 4]);
  });

  it("returns 0 and ascending points, each with a legal remainder", () => {
    fc.assert(
      fc.property(historyArbitrary().map(withIds), (messages) => {
        const points = cutPoints(messages);
        expect(points[0]).toBe(0);
        expect(points.toSorted((a, b) => a - b)).toEqual(points);
        const added = points.flatMap((point) =>
          // A summary, which is a user message, precedes the remainder.
          addedIllegalities(messages, [talk.human("summary", "x"), ...messages.slice(point)]),
        );
        expect(added.filter((one) => !one.startsWith("system message"))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("allows every cut that leaves both parts whole", () => {
    fc.assert(
      fc.property(historyArbitrary({ maxOddities: 0 }), (messages) => {
        const parted = (index: number) => messages[index]?.getType() === "tool";
        const wanted = messages.flatMap((_, index) => (parted(index) ? [] : [index]));
        expect(cutPoints(messages, [toolCallPairs])).toEqual([...wanted, messages.length]);
      }),
      { numRuns: 300 },
    );
  });

  it("keeps a summary with the messages carried over it under the fold rules", () => {
    const said = [talk.human("h1", "a"), talk.ai("e1", "b"), talk.human("h2", "c"), talk.ai("e2", "d")];
    const plan = planSummary([...said, talk.human("h3", "e"), talk.ai("e3", "f")], { cut: 4 })!;
    const { messages } = trimToArchive(plan, { tokenCounter: estimateTokens });
    expect(messages.map(({ id }) => id)).toEqual(["h1", "h2", messages[2]?.id, "h3", "e3"]);
    expect(cutPoints(messages)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(cutPoints(messages, foldRules)).toEqual([0, 3, 4, 5]);
  });

  it("reads each message of 10,000 as often as each of 1,000", () => {
    expect(readsPerMessage(5_000)).toBeCloseTo(readsPerMessage(500), 1);
    expect(readsPerMessage(5_000)).toBeLessThan(10);
  });
});
