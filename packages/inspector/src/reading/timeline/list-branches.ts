import type { VfsSaver } from "@palimpsest/checkpoint";
import type { BranchView } from "../../view.js";
import { stepsOf, type ThreadOrRun } from "../read-state.js";

/** The parts of a checkpoint that say where it belongs. */
interface Entry {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly createdAt: string;
}

/** Returns the branches of a thread or a run beside the one of a checkpoint, by default the newest; newest first. */
export async function listBranches(
  saver: VfsSaver,
  of: ThreadOrRun,
  on?: string,
): Promise<readonly BranchView[]> {
  return branchesBeside(await stepsOf(saver, of), on);
}

/** Returns the newest checkpoint that descends from one; undefined if there is no such checkpoint. */
export async function tipOf(saver: VfsSaver, of: ThreadOrRun, on: string): Promise<string | undefined> {
  return newestDescendant(await stepsOf(saver, of), on);
}

/** `stored` are oldest first. Pure. */
export function branchesBeside(stored: readonly Entry[], on?: string): readonly BranchView[] {
  const entries = withParents(stored);
  const newest = entries.at(-1)?.id;
  const shown = on === undefined ? newest : (newestDescendant(entries, on) ?? newest);
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const chain = new Set<string>();
  for (let at = byId.get(shown ?? ""); at !== undefined; at = byId.get(at.parentId ?? "")) chain.add(at.id);
  const parents = new Set(entries.map(({ parentId }) => parentId));
  const tips = entries.filter(({ id }) => !parents.has(id) && !chain.has(id));
  return tips.toReversed().map((tip) => {
    let [checkpoints, first]: [number, Entry] = [0, tip];
    let at: Entry | undefined = tip;
    for (; at !== undefined && !chain.has(at.id); at = byId.get(at.parentId ?? "")) {
      checkpoints += 1;
      first = at;
    }
    const span = { from: first.createdAt, to: tip.createdAt, checkpoints };
    return { tip: tip.id, at: at?.id ?? null, ...span, isNewest: tip.id === newest };
  });
}

/** `stored` are oldest first. Pure. */
function newestDescendant(stored: readonly Entry[], on: string): string | undefined {
  const entries = withParents(stored);
  const from = entries.findIndex(({ id }) => id === on);
  if (from < 0) return undefined;
  const descendants = new Set([on]);
  let newest = on;
  for (const { id, parentId } of entries.slice(from + 1)) {
    if (!descendants.has(parentId ?? "")) continue;
    descendants.add(id);
    newest = id;
  }
  return newest;
}

/** A host may have written a checkpoint without naming its parent: then it is the one before. */
function withParents(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry, at) => ({ ...entry, parentId: entry.parentId ?? entries[at - 1]?.id }));
}
