import { ContextError } from "@palimpsest/context";
import { shownValue } from "../options/fields.js";

/** Refuses a graph or a config that cannot name a thread. @throws ContextError `bad-option`, naming the value and the way out. */
export function requireThread(graph: unknown, config: unknown): void {
  if (typeof (graph as { getState?: unknown } | null | undefined)?.getState !== "function")
    throw bad(`graph is ${shownValue(graph)}`, "pass the compiled graph, for an agent agent.graph");
  const { configurable } = (config ?? {}) as { readonly configurable?: Readonly<Record<string, unknown>> };
  const id = configurable?.["thread_id"];
  if ((typeof id === "string" && id !== "") || typeof id === "number") return;
  throw bad(`The thread_id of the config is ${shownValue(id)}`, "pass { configurable: { thread_id } }");
}

function bad(what: string, way: string): ContextError {
  return new ContextError("bad-option", `${what}: ${way}`);
}
