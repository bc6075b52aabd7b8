import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { reportedCall } from "./reported-call.js";

const prices = { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 };
const counts = { input_tokens: 1_000, output_tokens: 10, total_tokens: 1_010 };
const answer = (details: object, fields: object = {}) =>
  new AIMessage({
    content: "Yes.",
    usage_metadata: { ...counts, input_token_details: details } as never,
    ...fields,
  });
const diagnostics = { cache_miss_reason: { type: "messages_changed", cache_missed_input_tokens: 300 } };

describe("reportedCall", () => {
  it("reportedCall prices what was read, what was written and what was neither", () => {
    const call = reportedCall(answer({ cache_read: 600, cache_creation: 300 }), prices);
    expect(call).toEqual({ tokens: 1_000, cachedTokens: 600, cost: (60 + 375 + 100) / 1e6 });
  });

  it("reportedCall counts the rest as written if a provider reports only reads", () => {
    expect(reportedCall(answer({ cache_read: 600 }), prices)?.cost).toBe((60 + 500) / 1e6);
  });

  it.each([
    ["response_metadata", { response_metadata: { diagnostics } }],
    ["additional_kwargs", { additional_kwargs: { diagnostics } }],
  ])("reportedCall reads the miss in %s", (_, fields) => {
    const call = reportedCall(answer({ cache_read: 600 }, fields), prices);
    expect(call?.cacheMiss).toEqual({ reason: "messages_changed", tokens: 300 });
  });

  it.each([
    ["no report", answer({})],
    ["no usage", new AIMessage("Yes.")],
  ])("reportedCall is undefined with %s of the cache", (_, message) => {
    expect(reportedCall(message, prices)).toBeUndefined();
  });

  it("reportedCall names no miss if the comparison found none or is still running", () => {
    const found = [null, { cache_miss_reason: null }].map((none) =>
      reportedCall(answer({ cache_read: 600 }, { response_metadata: { diagnostics: none } }), prices),
    );
    expect(found.map((call) => call?.cacheMiss)).toEqual([undefined, undefined]);
  });
});
