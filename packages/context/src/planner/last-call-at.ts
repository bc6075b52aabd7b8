import type { BaseMessage } from "@langchain/core/messages";
import { isAi } from "../tool-calls.js";

/** Seconds since 1970 have ten digits, milliseconds thirteen. */
const mostSeconds = 1e11;

/**
 * Returns when the last message of the model was made, in milliseconds since 1970, or undefined where it does not tell.
 *
 * Pure. Read from `response_metadata.created_at` or `.created`: seconds, milliseconds, or a date as text.
 */
export function lastCallAt(messages: readonly BaseMessage[]): number | undefined {
  const newest = messages.findLast((message) => isAi(message));
  const metadata = newest?.response_metadata;
  const told = metadata?.["created_at"] ?? metadata?.["created"];
  if (typeof told === "number" && told > 0) return told < mostSeconds ? told * 1_000 : told;
  const time = typeof told === "string" ? Date.parse(told) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
