import type { BaseMessage } from "@langchain/core/messages";

/** The fields read of the config that LangGraph passes to nodes and tools. Every field may be missing. */
export interface NodeConfig {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  readonly writer?: ((chunk: unknown) => void) | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the name under which a thread's files are kept.
 *
 * That is the `thread_id` of the run. A run without a checkpointer has none: then it is the id of the first user message,
 * which LangGraph makes unique and no pass removes. Undefined without either.
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
 * The signal of a step ends with the step, so an abort in a later step would be missed. LangGraph passes the signal of the
 * run beside it; without that, the signal of the step is used.
 */
export function runSignal(config: NodeConfig | undefined): AbortSignal | undefined {
  const signals = config?.configurable?.["__pregel_abort_signals"] as
    | { readonly externalAbortSignal?: unknown }
    | undefined;
  const external = signals?.externalAbortSignal;
  return external instanceof AbortSignal ? external : config?.signal;
}
