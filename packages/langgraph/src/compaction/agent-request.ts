import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { isAi, isToolResult } from "@palimpsest/context/internal";

/** What the agent asks for with `compress_context`. */
export interface AgentRequest {
  readonly strategy: "summarize" | "archive";
  readonly preserveMarkers: boolean;
  readonly reason: string;
}

const artifactKey = "palimpsest_compaction";
/** Name of the tool with which the agent asks for a compaction. */
export const compressContextName = "compress_context";

/** Returns the artifact with which a tool result carries a request to the node. */
export function requestArtifact(request: AgentRequest): Record<string, unknown> {
  return { [artifactKey]: request };
}

/**
 * Returns the request among the results of the newest step, or undefined.
 *
 * Needs no state: once the model has answered, the result belongs to an earlier step and is ignored. Reads only results of
 * `compress_context`, so that the artifact of another tool or of an MCP server cannot request a compaction.
 */
export function agentRequest(messages: readonly BaseMessage[]): AgentRequest | undefined {
  const newest = messages.findLastIndex(isAi);
  const caller = messages[newest];
  if (caller === undefined) return undefined;
  for (const { id, name } of toolCalls(caller)) {
    if (name !== compressContextName) continue;
    const results = messages.slice(newest + 1).filter(isToolResult);
    const result = results.find(
      ({ tool_call_id: of, artifact }) => of === id && requestIn(artifact) !== undefined,
    );
    if (result !== undefined) return requestIn(result.artifact);
  }
  return undefined;
}

function requestIn(artifact: unknown): AgentRequest | undefined {
  return (artifact as Record<string, AgentRequest> | undefined)?.[artifactKey];
}
