import type { LaneView, StepRow } from "../../view.js";
import { count, counted, plain } from "../format.js";
import { Bars, rowsAround } from "./bars.js";

export interface LaneStripProps {
  readonly lanes: readonly LaneView[];
  /** All steps of the thread, oldest first. */
  readonly rows: readonly StepRow[];
  /** The visible rows, both inclusive. */
  readonly range: readonly [number, number];
  readonly onOpen: (thread: string) => void;
  readonly onOpenRun: (namespace: string) => void;
}

/** Below the chart: when each subagent ran. A click opens its thread, or the run of the subgraph. */
export function LaneStrip({ lanes, rows, range, onOpen, onOpenRun }: LaneStripProps) {
  const open = ({ thread: own, namespace }: LaneView): (() => void) | undefined => {
    if (own !== null) return () => onOpen(own);
    // A report has no threads of subagents.
    return namespace === null ? undefined : () => onOpenRun(namespace);
  };
  const bars = lanes.map((lane) => ({
    key: lane.thread ?? lane.namespace ?? lane.name,
    title: titleOf(lane),
    onOpen: open(lane),
    ...rowsAround(lane, rows),
  }));
  const label = `${counted(bars.length, "subagent")} at the steps at which they ran`;
  return <Bars {...{ bars, range, label }} name="agents" />;
}

function titleOf({ name, namespace, checkpoints }: LaneView): string {
  return `${plain(name)}, ${count(checkpoints)} checkpoints${namespace === null ? "" : " of a subgraph"}`;
}
