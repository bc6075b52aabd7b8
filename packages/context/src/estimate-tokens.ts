import { estimateTextTokens } from "./estimate-text-tokens.js";
import { tokenCounterFrom } from "./token-counter-from.js";

/**
 * The default {@link TokenCounter}: an estimate that needs no vocabulary and knows no model.
 *
 * Counts text, reasoning, tool calls, tool schemas and the system prompt by {@link estimateTextTokens}, and each
 * picture or file as 1,600 tokens.
 */
export const estimateTokens = tokenCounterFrom(estimateTextTokens);
