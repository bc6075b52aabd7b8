import type { VfsSaver } from "@palimpsest/checkpoint";
import type { LaneView } from "../../view.js";
import { mainNamespace } from "../read-state.js";

/**
 * Returns the subagents of a thread, the first one first: threads whose names begin with its own and a slash, and runs of
 * subgraphs, which have namespaces of their own.
 */
export async function listLanes(saver: VfsSaver, thread: string): Promise<readonly LaneView[]> {
  const lanes = new Map<string, LaneView>();
  // That of the agent itself is not empty where a tool of another graph has invoked it.
  const main = await mainNamespace(saver, thread);
  for (const one of await saver.threads()) {
    const isOwn = one === thread;
    if (!isOwn && !one.startsWith(`${thread}/`)) continue;
    for await (const { namespace, createdAt } of saver.checkpoints(one)) {
      if (isOwn && namespace === main) continue;
      const [outermost = ""] = namespace.split("|");
      const name = isOwn ? outermost : one.slice(thread.length + 1);
      const { from = createdAt, to = createdAt, checkpoints = 0 } = lanes.get(name) ?? {};
      lanes.set(name, {
        name,
        thread: isOwn ? null : one,
        from: createdAt < from ? createdAt : from,
        to: createdAt > to ? createdAt : to,
        checkpoints: checkpoints + 1,
      });
    }
  }
  return [...lanes.values()].toSorted((a, b) => (a.from < b.from ? -1 : 1));
}
