import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { isAi, isToolResult } from "@palimpsest/context/internal";

/** What `compress_context` asks for. */
interface CompactionRequest {
  readonly strategy: "summarize" | "archive";
  readonly preserveMarkers: boolean;
  readonly reason: string;
}

const key = "palimpsest_compaction";
/** Name of the tool whose results may ask. */
export const compressContextName = "compress_context";

/** Returns the artifact by which a tool result carries a request to the node. */
export function requestArtifact(request: CompactionRequest): Record<string, unknown> {
  return { [key]: request };
}

/**
 * Returns the request among the results of the newest step, or undefined.
 *
 * Needs no state: once the model has answered, the result is of an earlier step and asks for nothing any more.
 */
export function agentRequest(messages: readonly BaseMessage[]): CompactionRequest | undefined {
  const newest = messages.findLastIndex((message) => isAi(message));
  const caller = messages[newest];
  if (caller === undefined) return undefined;
  // By the name that was called: what another tool, or a server behind it, puts into its artifact asks for nothing.
  const asked = new Set(
    toolCalls(caller).flatMap(({ id, name }) => (name === compressContextName ? [id] : [])),
  );
  const results = messages
    .slice(newest + 1)
    .filter(isToolResult)
    .filter(({ tool_call_id: id }) => asked.has(id));
  const requests = results.map((result) => (result.artifact as Record<string, unknown> | undefined)?.[key]);
  return requests.find((request) => request !== undefined) as CompactionRequest | undefined;
}
