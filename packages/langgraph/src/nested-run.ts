import type { NodeConfig } from "./run-config.js";
import { setNewest } from "./set-newest.js";

/** Runs inside other graphs in which a context has had a step. */
const runs = new Map<string, true>();
const maxRuns = 1_000;

/**
 * Returns whether a context has its first step in the run of a graph that is a node of another one. Changes nothing: {@link noteNested}
 * tells that it has had one.
 *
 * The state that it begins with came from the other graph. An agent that hands over by a command to that graph passes on its messages
 * alone: what it remembered of a context beside them is gone, and its replies report the size of a context that nobody knows.
 */
export function beginsNested(config: NodeConfig | undefined, inputKey: string): boolean {
  const run = nestedRun(config, inputKey);
  return run !== undefined && !runs.has(run);
}

/** Notes that a context has had a step in the run of a graph that is a node of another one. */
export function noteNested(config: NodeConfig | undefined, inputKey = "messages"): void {
  const run = nestedRun(config, inputKey);
  if (run !== undefined) setNewest(runs, [run, true], maxRuns);
}

/** As LangGraph (1.x) names it: `agent:1f|compact:2e` is the node `compact` of a graph that is the node `agent`. */
function nestedRun(config: NodeConfig | undefined, inputKey: string): string | undefined {
  const { thread_id: thread, checkpoint_ns: path } = config?.configurable ?? {};
  if (typeof path !== "string" || !path.includes("|")) return undefined;
  return JSON.stringify([thread, path.slice(0, path.lastIndexOf("|")), inputKey]);
}
