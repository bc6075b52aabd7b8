import { useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import { lastUpTo, type CallPositions } from "../../shared/call-positions.js";
import { parts } from "../../view.js";
import { short } from "../format.js";
import { chartColumns, partsOf, thinRows, type ChartColumns } from "./chart-columns.js";
import { drawMarks, type Marks } from "./timeline-marks.js";

export interface TimelineChartProps extends Omit<Marks, keyof ChartColumns> {
  readonly calls: CallPositions;
  /** Position of the chosen row. */
  readonly selected: number;
  /** The visible rows, both inclusive. */
  readonly range: readonly [number, number];
  readonly onRange: (range: readonly [number, number] | undefined) => void;
  readonly onSelect: (index: number) => void;
  /** Called with the call under the pointer. */
  readonly onHover: (index: number | undefined) => void;
}

/** Points that are drawn for each pixel. */
const density = 1;

/** The props, and the values that are read from the rows once. */
type Drawn = TimelineChartProps & ChartColumns;

/** The prompt of every call by part, stacked. A drag zooms, a click chooses a call. */
export function TimelineChart(given: TimelineChartProps) {
  const columns = useMemo(() => chartColumns(given.rows, given.calls.stops), [given.rows, given.calls]);
  const props = { ...given, ...columns };
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const current = useRef(props);
  current.current = props;
  useEffect(() => {
    const { current: target } = box;
    if (!target) return undefined;
    const made = build(target, () => current.current);
    chart.current = made;
    const resize = new ResizeObserver(() => {
      made.setSize({ width: target.clientWidth, height: target.clientHeight });
      draw(made, current.current);
    });
    resize.observe(target);
    return () => {
      resize.disconnect();
      made.destroy();
    };
  }, []);
  const { rows, range, selected, spans, window } = props;
  useEffect(() => {
    if (chart.current) draw(chart.current, props);
  }, [rows, range[0], range[1], spans, window]);
  useEffect(() => {
    if (chart.current) markChosen(chart.current, props);
  }, [selected]);
  return <div class="chart" ref={box} role="img" aria-label="Tokens of the prompt of every call, by part" />;
}

function draw(chart: uPlot, { rows, calls: { stops }, prompts, range, window }: Drawn): void {
  const seen = [Math.max(0, lastUpTo(stops, range[0] - 1)), lastUpTo(stops, range[1])] as const;
  const at = thinRows(prompts, seen, Math.max(200, chart.width * density));
  // Stacked from the bottom: each series is the sum of its part and the parts below.
  const stacked: number[][] = parts.map(() => []);
  let largest = window ?? 0;
  for (const stop of at) {
    let sum = 0;
    for (const [part, tokens] of partsOf(rows[stops[stop] ?? 0]).entries()) {
      sum += tokens;
      stacked[part]?.push(sum);
    }
    largest = Math.max(largest, prompts[stop] ?? 0);
  }
  chart.setData([at.map((stop) => stops[stop] ?? 0), ...stacked.toReversed()], false);
  chart.batch(() => {
    chart.setScale("x", { min: range[0], max: Math.max(range[1], range[0] + 1) });
    chart.setScale("y", { min: 0, max: Math.max(1, largest * 1.12) });
  });
}

/** Moves the line of the chosen step. It is a separate element, so that a step by keyboard does not redraw the chart. */
function markChosen(chart: uPlot, { selected }: Drawn): void {
  const line = chart.over.querySelector<HTMLElement>(".chosen");
  if (line === null) return;
  const x = chart.valToPos(selected, "x");
  line.hidden = !(x >= -1 && x <= chart.over.clientWidth + 1);
  line.style.transform = `translateX(${x}px)`;
}

function build(target: HTMLElement, props: () => Drawn): uPlot {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: color("dim"), font: "11px system-ui", ticks: { show: false } };
  return new uPlot(
    {
      width: target.clientWidth,
      height: target.clientHeight,
      padding: [14, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      scales: { x: { time: false, auto: false }, y: { auto: false } },
      axes: [
        {
          ...axis,
          size: 24,
          gap: 4,
          grid: { show: false },
          splits: (...[, , from, to, increment]) => roundCalls(props().calls, [from, to], increment),
          values: (_, at) => at.map((row) => String(lastUpTo(props().calls.stops, row) + 1)),
        },
        { ...axis, size: 44, grid: { stroke: color("line"), width: 1 }, values: (_, at) => at.map(short) },
      ],
      series: [
        {},
        ...parts
          .toReversed()
          .map((part) => ({ label: part, fill: color(`part-${part}`), width: 0, points: { show: false } })),
      ],
      hooks: {
        draw: [(chart) => drawMarks(chart, props()), (chart) => markChosen(chart, props())],
        setCursor: [(chart) => props().onHover(callAt(chart, props()))],
        setSelect: [(chart) => zoom(chart, props())],
        ready: [
          (chart) => chart.over.addEventListener("click", () => choose(chart, props())),
          ({ over }) => over.append(Object.assign(document.createElement("div"), { className: "chosen" })),
        ],
      },
    },
    [[], ...parts.map(() => [])],
    target,
  );
}

/** Returns the positions between two of the calls whose number is a multiple of an increment that makes as many labels. */
function roundCalls(
  { stops }: CallPositions,
  [from, to]: readonly [number, number],
  increment: number,
): number[] {
  const [first, last] = [lastUpTo(stops, from), lastUpTo(stops, to)];
  const labels = Math.max(1, (to - from) / increment);
  const size = nice((last - first) / labels);
  const start = Math.max(1, Math.ceil((first + 1) / size)) * size;
  const numbers = Array.from(
    { length: Math.max(0, Math.floor((last + 1 - start) / size) + 1) },
    (_, at) => start + at * size,
  );
  return numbers.map((number) => stops[number - 1] ?? 0);
}

/** Returns the next of 1, 2, 5, 10, 20 and so on. */
function nice(size: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, size))));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= size) ?? 10);
}

function zoom(chart: uPlot, { onRange }: TimelineChartProps): void {
  const { left, width } = chart.select;
  if (width < 4) return;
  const [from, to] = [chart.posToVal(left, "x"), chart.posToVal(left + width, "x")];
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (to - from >= 2) onRange([Math.floor(from), Math.ceil(to)]);
}

function choose(chart: uPlot, props: TimelineChartProps): void {
  const row = callAt(chart, props);
  if (row !== undefined) props.onSelect(row);
}

/** Returns the row of the call that is nearest to the pointer. */
function callAt(chart: uPlot, { calls: { stops } }: TimelineChartProps): number | undefined {
  const { left } = chart.cursor;
  if (left === undefined || left < 0) return undefined;
  const row = chart.posToVal(left, "x");
  const [before, after] = [stops[Math.max(0, lastUpTo(stops, row))], stops[lastUpTo(stops, row) + 1]];
  if (before === undefined) return undefined;
  return after !== undefined && after - row < row - before ? after : before;
}
