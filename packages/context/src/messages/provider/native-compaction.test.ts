import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { talk } from "../../testing/talk.js";
import {
  clearedTokens,
  isNativeCompaction,
  isSignedCompaction,
  nativeBlocks,
  nativeStart,
  nativeUsage,
  readMessages,
} from "./native-compaction.js";

const reply = (fields: object) => new AIMessage({ content: "Go on.", ...fields });
const summary = { type: "compaction", content: "They audit packages." };
const item = { id: "cmp_1", type: "compaction", encrypted_content: "gAAAA" };
const signed = { ...summary, encrypted_content: "gA", signature: "s", tool_changes: [] };

describe("isNativeCompaction", () => {
  it.each<[string, object]>([
    ["Anthropic's block in the content", { content: [summary, { type: "text", text: "Go on." }] }],
    ["Anthropic's signed block", { content: [signed] }],
    ["OpenAI's item in the content", { content: [item] }],
    ["OpenAI's item in the raw output", { response_metadata: { output: [item, { type: "message" }] } }],
    ["OpenAI's item among the outputs of tools", { additional_kwargs: { tool_outputs: [item] } }],
    [
      "a non-standard block of LangChain's standard content",
      { content: [{ type: "non_standard", value: item }] },
    ],
  ])("isNativeCompaction finds %s", (_, fields) => {
    expect(isNativeCompaction(reply(fields))).toBe(true);
  });

  it.each<[string, object]>([
    ["text alone", {}],
    [
      "a block without content, of a compaction that failed",
      { content: [{ type: "compaction", content: null }] },
    ],
    ["a block of an unknown type", { content: [{ type: "compaction_2027", content: "They audit." }] }],
    ["an empty place", { content: [], response_metadata: { output: [null] } }],
  ])("isNativeCompaction does not take %s for a compaction", (_, fields) => {
    expect(isNativeCompaction(reply(fields))).toBe(false);
  });

  it("isNativeCompaction reads only replies of the model", () => {
    expect(isNativeCompaction(new HumanMessage({ content: [summary as never] }))).toBe(false);
  });
});

it("nativeBlocks returns an item once that LangChain keeps in two places", () => {
  const both = reply({ response_metadata: { output: [item] }, additional_kwargs: { tool_outputs: [item] } });
  expect(nativeBlocks(both)).toEqual([item]);
});

it("isSignedCompaction holds for the block that must come first, and for no other", () => {
  expect([[signed], [summary], [item]].map((content) => isSignedCompaction(reply({ content })))).toEqual([
    true,
    false,
    false,
  ]);
});

it("readMessages returns the system messages and all from the newest compaction on", () => {
  const first = reply({ id: "c1", content: [summary] });
  const second = reply({ id: "c2", content: [{ ...summary, content: "More." }] });
  const messages = [talk.system("s", "Rules."), talk.human("h", "Hi"), first, talk.human("h2", "On"), second];
  expect(nativeStart(messages)).toBe(4);
  expect(readMessages([...messages, talk.human("h3", "?")]).map(({ id }) => id)).toEqual(["s", "c2", "h3"]);
  const plain = messages.slice(0, 2);
  expect(readMessages(plain)).toBe(plain);
});

it("nativeUsage adds up the compactions in `usage.iterations`, cached tokens included", () => {
  const pass = { type: "compaction", input_tokens: 100, cache_read_input_tokens: 80_000, output_tokens: 900 };
  const usage = { input_tokens: 23_000, iterations: [pass, pass, { type: "message", input_tokens: 23_000 }] };
  expect(nativeUsage(reply({ response_metadata: { usage } }))).toEqual({
    calls: 2,
    inputTokens: 160_200,
    cachedTokens: 160_000,
    outputTokens: 1_800,
  });
  expect(nativeUsage(reply({ response_metadata: { usage: { input_tokens: 5 } } }))).toBeUndefined();
});

it("clearedTokens adds up what context editing left out of the prompt", () => {
  const applied = [
    { type: "clear_tool_uses_20250919", cleared_tool_uses: 4, cleared_input_tokens: 9_000 },
    { type: "clear_thinking_20251015", cleared_thinking_turns: 2, cleared_input_tokens: 500 },
  ];
  const edited = reply({ response_metadata: { context_management: { applied_edits: applied } } });
  expect(clearedTokens(edited)).toBe(9_500);
  expect(clearedTokens(reply({}))).toBe(0);
});
