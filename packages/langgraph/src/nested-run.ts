import type { NodeConfig } from "./run-config.js";
import { setNewest } from "./set-newest.js";

/** Runs inside other graphs in which a context has had a step. */
const runs = new Map<string, true>();
const maxRuns = 1_000;

/**
 * Returns whether a context has its first step in the run of a graph that is a node of another one; true once for each such run in this
 * process.
 *
 * The state that it begins with came from the other graph. An agent that hands over by a command to that graph passes on its messages
 * alone: what it remembered of a context beside them is gone, and its replies report the size of a context that nobody knows.
 */
export function beginsNested(config: NodeConfig | undefined, inputKey: string): boolean {
  // As LangGraph (1.x) names it: `agent:1f|compact:2e` is the node `compact` of a graph that is the node `agent`.
  const { thread_id: thread, checkpoint_ns: path } = config?.configurable ?? {};
  if (typeof path !== "string" || !path.includes("|")) return false;
  const run = JSON.stringify([thread, path.slice(0, path.lastIndexOf("|")), inputKey]);
  const isFirst = !runs.has(run);
  setNewest(runs, [run, true], maxRuns);
  return isFirst;
}
