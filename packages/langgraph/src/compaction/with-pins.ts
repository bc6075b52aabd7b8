import type { BaseMessage } from "@langchain/core/messages";
import { pinOf } from "@palimpsest/context";
import type { ResolvedOptions } from "../edge/resolve-options.js";

/** Returns the options with one predicate for all that pins a message of the list: marks, predicate, tools, files. Pure. */
export function withPins(messages: readonly BaseMessage[], options: ResolvedOptions): ResolvedOptions {
  const pin = pinOf(messages, options);
  return pin === undefined ? options : { ...options, pin };
}
