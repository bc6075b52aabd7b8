import type { BaseMessage } from "@langchain/core/messages";
import type { NodeConfig } from "./node-config.js";

/**
 * Returns the name under which a thread's files are kept.
 *
 * That is the `thread_id` of the run. A run without a checkpointer has none: then the id of its first user
 * message, which LangGraph makes unique and no pass removes, names it. Undefined when there is neither.
 */
export function threadIdOf(
  config: NodeConfig | undefined,
  messages: readonly BaseMessage[] | undefined,
): string | undefined {
  const id = config?.configurable?.["thread_id"];
  if (typeof id === "string" && id !== "") return id;
  if (typeof id === "number") return String(id);
  const first = messages?.find((message) => message.getType() === "human");
  return first?.id === undefined ? undefined : `run-${first.id}`;
}
