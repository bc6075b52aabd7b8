import type { VfsSaver } from "@palimpsest/checkpoint";
import type { LaneView } from "../../view.js";
import { runName } from "../../shared/run-name.js";
import { checkpointsOf } from "../checkpoints-of.js";
import { runOf, type ThreadOrRun } from "../read-state.js";

/**
 * Returns the subagents of a thread in the order of their start: threads whose names begin with its own and a slash, and runs
 * of subgraphs, which have their own namespaces. For a run, returns the runs inside it. A run includes the checkpoints of those
 * inside it.
 */
export async function listLanes(saver: VfsSaver, of: ThreadOrRun): Promise<readonly LaneView[]> {
  const { threadId, namespace: own } = await runOf(saver, of);
  const extents = await extentsOf(saver, threadId);
  if (typeof of !== "string") return runsInside(extents, own);
  // The namespace of the agent itself is not empty if a tool of another graph has invoked it.
  const lanes = [...runsOf(extents, (namespace) => namespace !== own)];
  for (const thread of await saver.threads()) {
    if (!thread.startsWith(`${threadId}/`)) continue;
    const [first, ...others] = (await extentsOf(saver, thread)).values();
    // A thread may be deleted meanwhile.
    if (first === undefined) continue;
    const extent = others.reduce(joined, first);
    lanes.push({ name: thread.slice(threadId.length + 1), thread, namespace: null, ...extent });
  }
  return inOrder(lanes);
}

/** Returns the runs that a run has started. Pure. */
export function runsInside(extents: Extents, namespace: string): readonly LaneView[] {
  return inOrder(runsOf(extents, (one) => one.startsWith(`${namespace}|`)));
}

function runsOf(extents: Extents, isOne: (namespace: string) => boolean): readonly LaneView[] {
  const runs = new Map([...extents].filter(([namespace]) => isOne(namespace)));
  return [...outermost(runs)].map(([namespace, extent]) => ({
    name: runName(namespace),
    thread: null,
    namespace,
    ...extent,
  }));
}

/** Returns the lanes as they began, with a number after the name of each node that ran more than once. */
function inOrder(unsorted: readonly LaneView[]): readonly LaneView[] {
  const lanes = unsorted.toSorted((a, b) => Number(a.from > b.from) - Number(a.from < b.from));
  const [all, before] = [new Map<string, number>(), new Map<string, number>()];
  for (const { name } of lanes) all.set(name, (all.get(name) ?? 0) + 1);
  return lanes.map((lane) => {
    const number = (before.get(lane.name) ?? 0) + 1;
    before.set(lane.name, number);
    return all.get(lane.name) === 1 ? lane : { ...lane, name: `${lane.name} ${number}` };
  });
}

/** When something ran, and how many checkpoints it wrote. */
type Extent = Pick<LaneView, "from" | "to" | "checkpoints">;

/** The checkpoints of a thread, by namespace. */
export type Extents = ReadonlyMap<string, Extent>;

/** Looks at every checkpoint of a thread. */
export async function extentsOf(saver: VfsSaver, thread: string): Promise<Extents> {
  const extents = new Map<string, Extent>();
  for (const { namespace, createdAt } of await checkpointsOf(saver, thread)) {
    const extent = { from: createdAt, to: createdAt, checkpoints: 1 };
    const known = extents.get(namespace);
    extents.set(namespace, known === undefined ? extent : joined(known, extent));
  }
  return extents;
}

function joined(one: Extent, other: Extent): Extent {
  return {
    from: one.from < other.from ? one.from : other.from,
    to: one.to > other.to ? one.to : other.to,
    checkpoints: one.checkpoints + other.checkpoints,
  };
}

/** Returns the runs that no other run contains, each with the runs inside it. */
function outermost(runs: Extents): Extents {
  const found = new Map<string, Extent>();
  for (const [namespace, extent] of runs) {
    const parts = namespace.split("|");
    const prefixes = parts.map((_, at) => parts.slice(0, at + 1).join("|"));
    const outer = prefixes.find((prefix) => runs.has(prefix)) ?? namespace;
    const known = found.get(outer);
    found.set(outer, known === undefined ? extent : joined(known, extent));
  }
  return found;
}
