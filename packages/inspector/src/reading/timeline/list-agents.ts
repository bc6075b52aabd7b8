import type { VfsSaver } from "@palimpsest/checkpoint";
import { agentView, type AgentView } from "../../shared/agent-view.js";
import { firstSeen } from "../../shared/first-seen.js";
import type { LaneView } from "../../view.js";
import type { ThreadOrRun } from "../read-state.js";
import { listLanes } from "./list-lanes.js";
import { ThreadHistory } from "./thread-history.js";

/** Returns the subagents of a thread or of a run as a tree. Reads every step of each. */
export async function listAgents(saver: VfsSaver, of: ThreadOrRun): Promise<readonly AgentView[]> {
  const agents: AgentView[] = [];
  for (const lane of ownLanes(await listLanes(saver, of))) {
    const inner = lane.thread ?? { threadId: threadOf(of), namespace: lane.namespace ?? "" };
    const history = new ThreadHistory(saver, inner);
    await history.read();
    const rows = firstSeen(history.rows, await listLanes(saver, inner));
    agents.push(agentView(lane, rows, await listAgents(saver, inner)));
  }
  return agents;
}

function threadOf(of: ThreadOrRun): string {
  return typeof of === "string" ? of : of.threadId;
}

/** Returns the lanes but those of threads that are subagents of a subagent. */
function ownLanes(lanes: readonly LaneView[]): readonly LaneView[] {
  return lanes.filter(
    ({ thread }) => thread === null || !lanes.some((outer) => thread.startsWith(`${outer.thread}/`)),
  );
}
