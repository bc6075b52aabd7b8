import { randomUUID } from "node:crypto";

/** The fields that are read of the config of nodes and tools. Every field may be missing. */
export interface NodeConfig {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  /** What the caller of the run passes as `context`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a host knows the type of its own context
  readonly context?: any;
  readonly writer?: ((chunk: unknown) => void) | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the name of a thread's files: the `thread_id` of the run, or else the scope that the nodes keep in state. Undefined
 * without either. Nothing else that a client sends can name an archive.
 */
export function threadIdOf(config: NodeConfig | undefined, scope: unknown): string | undefined {
  const id = config?.configurable?.["thread_id"];
  if (typeof id === "string" && id !== "") return id;
  if (typeof id === "number") return String(id);
  return typeof scope === "string" && scopeForm.test(scope) ? scope : undefined;
}

const scopeForm = /^run-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns a random scope for a run without a `thread_id`, so that nobody else can name its archive. */
export function newScope(): string {
  return `run-${randomUUID()}`;
}

/**
 * Returns the signal that ends a run, for work that goes on after the step that began it.
 *
 * The signal of a step ends with the step and would miss an abort in a later one. LangGraph also passes the signal of the run;
 * without that, the signal of the step is used.
 */
export function runSignal(config: NodeConfig | undefined): AbortSignal | undefined {
  const signals = config?.configurable?.["__pregel_abort_signals"] as
    | { readonly externalAbortSignal?: unknown }
    | undefined;
  const external = signals?.externalAbortSignal;
  return external instanceof AbortSignal ? external : config?.signal;
}
