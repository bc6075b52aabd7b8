import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { applySummary } from "../summary/apply-summary.js";
import { planSummary } from "../summary/plan-summary.js";
import { cachedTokens, lastCallAt, threadPace } from "./thread-pace.js";

const tokenCounter = (messages: readonly unknown[]) => messages.length * 10;
const turns = Array.from({ length: 4 }, (_, at) => [
  new HumanMessage({ id: `u${at}`, content: `question ${at}` }),
  new AIMessage({ id: `a${at}`, content: `answer ${at}` }),
]).flat();

function answer(usage: object): AIMessage {
  return new AIMessage({ content: "done", usage_metadata: usage as never });
}

function at(response_metadata: Record<string, unknown>): readonly AIMessage[] {
  return [new AIMessage({ content: "done", response_metadata })];
}

it("threadPace adds the steps since the last summary to the folded ones", () => {
  expect(threadPace(turns, tokenCounter)).toEqual({ steps: 4, tokens: 70 });
  const plan = planSummary(turns, { cut: 4, tokenCounter });
  const { messages } = applySummary(plan ?? (undefined as never), { text: "Summary", tokenCounter });
  expect(threadPace(messages, tokenCounter)).toEqual({ steps: 2, tokens: 30 });
  expect(threadPace(messages, tokenCounter, { steps: 2, tokens: 40 })).toEqual({ steps: 4, tokens: 70 });
  expect(threadPace([], tokenCounter)).toEqual({ steps: 0, tokens: 0 });
});

it("cachedTokens returns what the newest call left in the cache", () => {
  const usage = { input_tokens: 1_000, output_tokens: 5, total_tokens: 1_005 };
  expect(cachedTokens([new HumanMessage("hi")])).toBeUndefined();
  expect(cachedTokens([new AIMessage("no usage")])).toBeUndefined();
  expect(cachedTokens([answer(usage)])).toBe(1_000);
  const details = (input_token_details: object) => [answer({ ...usage, input_token_details })];
  expect(cachedTokens(details({ cache_read: 700, cache_creation: 200 }))).toBe(900);
  expect(cachedTokens(details({ cache_read: 700 }))).toBe(1_000);
  expect(cachedTokens(details({ cache_read: 0 }))).toBe(0);
  expect(cachedTokens([...details({ cache_read: 0 }), answer(usage)])).toBe(1_000);
});

it("lastCallAt reads every time format that providers report", () => {
  const time = Date.UTC(2026, 0, 2, 3, 4, 5);
  expect(lastCallAt(at({ created_at: time / 1_000 }))).toBe(time);
  expect(lastCallAt(at({ created: time }))).toBe(time);
  expect(lastCallAt(at({ created_at: "2026-01-02T03:04:05Z" }))).toBe(time);
  for (const nothing of [{}, { created: "yesterday" }, { created_at: -1 }, { created_at: null }]) {
    expect(lastCallAt(at(nothing))).toBeUndefined();
  }
  expect(lastCallAt([])).toBeUndefined();
});
