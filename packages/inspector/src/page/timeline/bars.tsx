import type { StepRow } from "../../view.js";

/** Something that happened beside the rows for a time. */
export interface Bar {
  readonly key: string;
  readonly title: string;
  /** Positions of rows. */
  readonly from: number;
  readonly to: number;
  /** Opens it; undefined where there is nothing to open. */
  readonly onOpen: (() => void) | undefined;
}

export interface BarsProps {
  readonly bars: readonly Bar[];
  /** Names the strip: in short on the page, in full for a screen reader. */
  readonly name: string;
  readonly label: string;
  /** The visible rows, both inclusive. */
  readonly range: readonly [number, number];
}

/** Lines of a strip. The last also takes bars that overlap in all of them. */
const mostLines = 4;

/** A strip of bars below the chart. */
export function Bars({ bars, name, label, range: [first, last] }: BarsProps) {
  if (bars.length === 0) return null;
  const placed = onLines(bars);
  const width = Math.max(1, last - first);
  const share = (index: number) => `${(100 * (Math.min(Math.max(index, first), last) - first)) / width}%`;
  return (
    <div
      class="lanes"
      role="group"
      aria-label={label}
      data-name={name}
      style={{ "--lines": Math.max(...placed.map(({ line }) => line)) + 1 }}
    >
      {placed
        .filter(({ bar: { from, to } }) => to >= first && from <= last)
        .map(({ bar: { key, title, from, to, onOpen }, line }) => (
          <button
            key={key}
            aria-label={title}
            title={title}
            disabled={onOpen === undefined}
            style={{ "--line": line, left: share(from), right: `calc(100% - ${share(to)} + 1px)` }}
            onClick={onOpen}
          />
        ))}
    </div>
  );
}

/** Places each bar on the first line that is free there. Pure. */
function onLines(bars: readonly Bar[]): readonly { readonly bar: Bar; readonly line: number }[] {
  const ends: number[] = [];
  return bars.map((bar) => {
    const free = ends.findIndex((end) => end <= bar.from);
    const line = Math.min(free < 0 ? ends.length : free, mostLines - 1);
    ends[line] = Math.max(ends[line] ?? 0, bar.to);
    return { bar, line };
  });
}

/** Returns the positions of the rows around a time. Pure. */
export function rowsAround(
  { from, to }: { readonly from: string; readonly to: string },
  rows: readonly StepRow[],
): Pick<Bar, "from" | "to"> {
  const first = Math.max(
    0,
    rows.findLastIndex(({ at }) => at <= from),
  );
  const after = rows.findIndex(({ at }) => at >= to);
  return { from: first, to: Math.max(first, after < 0 ? rows.length - 1 : after) };
}
