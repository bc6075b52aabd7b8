import type { LaneView, StepRow } from "../../view.js";
import { count, plain } from "../format.js";
import type { Source } from "../source/source.js";
import { useLoaded } from "../source/use-loaded.js";

export interface LaneStripProps {
  readonly source: Source;
  readonly thread: string;
  /** All steps of the thread, oldest first. */
  readonly rows: readonly StepRow[];
  /** The visible rows, both inclusive. */
  readonly range: readonly [number, number];
  readonly onOpen: (thread: string) => void;
  readonly onOpenRun: (namespace: string) => void;
}

/** New steps of a thread after which its subagents are read again. */
const refreshed = 20;
/** Lines for the lanes. The last also takes lanes that overlap in all of them. */
const mostLines = 4;

/** Below the chart: when each subagent ran. A click opens its thread, or the run of the subgraph. */
export function LaneStrip({ source, thread, rows, range, ...open }: LaneStripProps) {
  const { value: lanes = [] } = useLoaded(
    async () => source.lanes(thread),
    [source, thread, Math.ceil(rows.length / refreshed)],
  );
  const bars = placed(lanes, rows);
  const [first, last] = range;
  const width = Math.max(1, last - first);
  const share = (index: number) => `${(100 * (Math.min(Math.max(index, first), last) - first)) / width}%`;
  if (bars.length === 0) return null;
  return (
    <div
      class="lanes"
      role="group"
      aria-label={`${count(bars.length)} subagents at the steps at which they ran`}
      style={{ "--lines": Math.max(...bars.map(({ line }) => line)) + 1 }}
    >
      {bars
        .filter(({ from, to }) => to >= first && from <= last)
        .map(({ lane, from, to, line }) => (
          <button
            key={lane.thread ?? lane.namespace ?? lane.name}
            aria-label={titleOf(lane)}
            title={titleOf(lane)}
            // A report has no threads of subagents.
            disabled={lane.thread === null && lane.namespace === null}
            style={{ "--line": line, left: share(from), right: `calc(100% - ${share(to)} + 1px)` }}
            onClick={() => openLane(lane, open)}
          />
        ))}
    </div>
  );
}

function openLane({ thread, namespace }: LaneView, { onOpen, onOpenRun }: Opening): void {
  if (thread !== null) onOpen(thread);
  else if (namespace !== null) onOpenRun(namespace);
}

type Opening = Pick<LaneStripProps, "onOpen" | "onOpenRun">;

function titleOf({ name, namespace, checkpoints }: LaneView): string {
  return `${plain(name)}, ${count(checkpoints)} checkpoints${namespace === null ? "" : " of a subgraph"}`;
}

interface Bar {
  readonly lane: LaneView;
  /** Positions of rows. */
  readonly from: number;
  readonly to: number;
  readonly line: number;
}

/** Places each lane at the rows around its time, on the first line that is free there. Pure. */
function placed(lanes: readonly LaneView[], rows: readonly StepRow[]): readonly Bar[] {
  const ends: number[] = [];
  return lanes.map((lane) => {
    const from = Math.max(
      0,
      rows.findLastIndex(({ at }) => at <= lane.from),
    );
    const after = rows.findIndex(({ at }) => at >= lane.to);
    const to = Math.max(from, after < 0 ? rows.length - 1 : after);
    const free = ends.findIndex((end) => end <= from);
    const line = Math.min(free < 0 ? ends.length : free, mostLines - 1);
    ends[line] = Math.max(ends[line] ?? 0, to);
    return { lane, from, to, line };
  });
}
