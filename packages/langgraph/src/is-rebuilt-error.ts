import type { NodeConfig } from "./node-config.js";

/**
 * Returns true when an error handler is run again for a failure of an earlier run. Pure, never throws.
 *
 * A resumed run does not run the failed node: LangGraph (1.7) calls its error handler alone, with a plain `Error` made
 * from the stored name and message. The run says that it resumes, but so does a retried node in a first run; an error
 * that a node has thrown in this run carries the id of its task.
 */
export function isRebuiltError(error: unknown, config: NodeConfig | undefined): boolean {
  if (config?.configurable?.["__pregel_resuming"] !== true || !(error instanceof Error)) return false;
  return Object.getPrototypeOf(error) === Error.prototype && !("pregelTaskId" in error);
}
