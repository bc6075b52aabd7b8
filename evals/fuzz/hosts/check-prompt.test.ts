import type { BaseMessage } from "@langchain/core/messages";
import { talk } from "@palimpsest/context/testing";
import { describe, expect, it } from "vitest";
import { ReasoningRecord } from "../reasoning-record.js";
import { checkPrompt } from "./check-prompt.js";
import { strategies, type Strategy } from "./strategies.js";

const strategy = strategies.find(({ name }) => name === "foldNode") as Strategy;
const settings = {
  window: 1_500,
  pins: "none",
  hasSystem: false,
  reportsUsage: false,
  summaries: "extracted",
} as const;

function found(thread: readonly BaseMessage[], prompt: readonly BaseMessage[]): readonly string[] {
  return checkPrompt({
    thread,
    prompt,
    strategy,
    settings,
    events: [],
    forbidden: new Set(),
    pinned: new Set(),
    reasoning: new ReasoningRecord(),
    isOutage: false,
  });
}

const greeting = talk.ai("a0", "Good morning.");
const first = [talk.calls("a1", { c1: ["look"] }), talk.result("r1", "c1", "one")];
const second = [talk.calls("a2", { c2: ["look"] }), talk.result("r2", "c2", "two")];
const stand = talk.human("summary", "What happened before.");
const newest = talk.human("u9", "Go on.");

describe("a prompt that begins with a call", () => {
  it("is a fault where the thread has a user message before the call", () => {
    const asked = talk.human("u1", "Look twice.");
    const thread = [greeting, asked, ...first, ...second, newest];
    expect(found(thread, [...second, stand, newest])).toEqual([
      "illegal: message a2 calls before any user message",
    ]);
  });

  it("is no fault where the host has removed every user message before the call", () => {
    const thread = [greeting, ...first, ...second, newest];
    expect(found(thread, [...second, stand, newest])).toEqual([]);
  });

  it("is a fault for what else it breaks there", () => {
    const thread = [greeting, ...first, ...second, newest];
    expect(found(thread, [...second.slice(0, 1), stand, newest])).toContain(
      "illegal: call c2 of message a2 has no result",
    );
  });
});
