import type { LaneView, StepRow } from "../view.js";

/**
 * Returns the rows of a branch so that each call and each fold stands at the step that made it. A step that opens a fold shows
 * replies and folds again that were inside it: they are no new ones. Replies of a step in which a subgraph ran are calls of that
 * run, which was sent its own messages. A row without any is returned as it is. Pure.
 */
export function firstSeen(
  rows: readonly StepRow[],
  lanes: readonly Pick<LaneView, "namespace" | "from" | "to">[] = [],
): readonly StepRow[] {
  const [calls, folds] = [new Set<string>(), new Set<string>()];
  const runs = lanes.filter(({ namespace }) => namespace !== null);
  return rows.map((row, at) => {
    if (row.calls.length + row.folds.length + row.opened.length === 0) return row;
    const before = rows[at - 1]?.at ?? "";
    const isRun = row.calls.length > 0 && runs.some(({ from, to }) => from >= before && to <= row.at);
    const newCalls = row.calls.filter(({ id }) => !isRun && (id === null || !calls.has(id)));
    const newFolds = row.folds.filter(({ id }) => !folds.has(id));
    for (const { id } of newCalls) if (id !== null) calls.add(id);
    for (const { id } of newFolds) folds.add(id);
    // Folds of equal messages have one id: it may be made once more.
    for (const id of row.opened) folds.delete(id);
    if (newCalls.length === row.calls.length && newFolds.length === row.folds.length) return row;
    return { ...row, calls: newCalls, folds: newFolds };
  });
}
