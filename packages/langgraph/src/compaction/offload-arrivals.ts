import type { BaseMessage } from "@langchain/core/messages";
import { offloadLargeToolResults, offloadLargeUserMessages, type Rewrite } from "@palimpsest/context";
import type { ResolvedOptions } from "../resolve-options.js";
import { joinRewrites } from "./join-rewrites.js";

/** Returns the context with what is too large in it moved to the archive: results, and pasted user messages. Pure. */
export function offloadArrivals(messages: readonly BaseMessage[], options: ResolvedOptions): Rewrite {
  const results = offloadLargeToolResults(messages, options);
  return joinRewrites(results, offloadLargeUserMessages(results.messages, options));
}
