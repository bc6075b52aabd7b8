import type { BaseMessage } from "@langchain/core/messages";

/** What is read of the config that LangGraph hands to nodes and tools. Every field may be missing. */
export interface NodeConfig {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  readonly writer?: ((chunk: unknown) => void) | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

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

/**
 * Returns the signal that ends a run, for work that goes on after the step that began it.
 *
 * The signal of a step is let go of when the step is over, so that an abort in a later one would not be heard. LangGraph
 * hands the run's own on beside it; where it does not, the step's is better than none.
 */
export function runSignal(config: NodeConfig | undefined): AbortSignal | undefined {
  const signals = config?.configurable?.["__pregel_abort_signals"] as
    | { readonly externalAbortSignal?: unknown }
    | undefined;
  const external = signals?.externalAbortSignal;
  return external instanceof AbortSignal ? external : config?.signal;
}
