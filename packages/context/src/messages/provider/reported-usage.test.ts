import { expect, it } from "vitest";
import { promptTokens } from "./reported-usage.js";

it.each([
  ["nothing without a report", undefined, 0],
  ["the input", { input_tokens: 900, output_tokens: 50, total_tokens: 950 }, 900],
  [
    "the input, of which a part was cached",
    { input_tokens: 900, output_tokens: 50, total_tokens: 950, input_token_details: { cache_read: 600 } },
    900,
  ],
  [
    "input and cache, where more was cached than is input",
    { input_tokens: 12, output_tokens: 50, input_token_details: { cache_read: 600, cache_creation: 300 } },
    912,
  ],
  [
    "input and cache, where the total has both",
    { input_tokens: 900, output_tokens: 50, total_tokens: 1_550, input_token_details: { cache_read: 600 } },
    1_500,
  ],
  ["the cache, where all was cached", { input_tokens: 0, input_token_details: { cache_read: 600 } }, 600],
])("the tokens of a prompt are %s", (_, usage, tokens) => {
  expect(promptTokens(usage)).toBe(tokens);
});
