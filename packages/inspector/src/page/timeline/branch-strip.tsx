import { useMemo } from "preact/hooks";
import { counted, timeOfStep } from "../format.js";
import type { Source } from "../source/source.js";
import { useLoaded } from "../source/use-loaded.js";
import { Bars } from "./bars.js";
import type { LaneStripProps } from "./lane-strip.js";

export interface BranchStripProps extends Pick<LaneStripProps, "rows" | "range"> {
  readonly source: Source;
  readonly thread: string;
  readonly onOpen: (checkpoint: string) => void;
}

/** Below the chart: the other branches, each at the step at which it leaves this one. A click opens one. */
export function BranchStrip({ source, thread, rows, range, onOpen }: BranchStripProps) {
  const { value: branches = [] } = useLoaded(
    async () => source.branches(thread),
    [rows.at(-1)?.id],
    [source, thread],
  );
  const positions = useMemo(() => new Map(rows.map(({ id }, at) => [id, at])), [rows]);
  const bars = branches.map(({ tip, at, to: newest, checkpoints, isNewest }) => {
    const from = at === null ? 0 : (positions.get(at) ?? 0);
    const step = rows[from]?.step ?? "–";
    const origin = at === null ? "of its own" : `from step ${step}`;
    return {
      key: tip,
      title: `${isNewest ? "newest " : ""}branch ${origin}, ${counted(checkpoints, "checkpoint")}, to ${timeOfStep(newest)}`,
      from,
      to: Math.min(rows.length - 1, from + checkpoints),
      onOpen: () => onOpen(isNewest ? "" : tip),
    };
  });
  const label = `${counted(bars.length, "other branch").replace("branchs", "branches")} of the thread`;
  return <Bars {...{ bars, range, label }} name="branches" />;
}
