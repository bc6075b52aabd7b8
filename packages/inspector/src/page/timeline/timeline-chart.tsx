import { useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import { parts, type StepRow } from "../../view.js";
import { short } from "../format.js";
import { chartColumns, thinRows, type ChartColumns } from "./chart-columns.js";
import { drawMarks, type Marks } from "./timeline-marks.js";

export interface TimelineChartProps extends Omit<Marks, "folds"> {
  /** Position of the chosen row. */
  readonly selected: number;
  /** The visible rows, both inclusive. */
  readonly range: readonly [number, number];
  readonly onRange: (range: readonly [number, number] | undefined) => void;
  readonly onSelect: (index: number) => void;
}

/** Points that are drawn for each pixel. */
const density = 1;

/** The props, and the values that are read from the rows once. */
type Drawn = TimelineChartProps & ChartColumns;

/** The prompt of every step by part, stacked. A drag zooms, a click chooses a step. */
export function TimelineChart(given: TimelineChartProps) {
  const columns = useMemo(() => chartColumns(given.rows), [given.rows]);
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
  return <div class="chart" ref={box} role="img" aria-label="Tokens of the prompt at every step, by part" />;
}

function draw(chart: uPlot, { rows, prompts, range, window }: Drawn): void {
  const at = thinRows(prompts, range, Math.max(200, chart.width * density));
  // Stacked from the bottom: each series is the sum of its part and the parts below.
  const stacked: number[][] = parts.map(() => []);
  let largest = window ?? 0;
  for (const index of at) {
    let sum = 0;
    for (const [part, tokens] of (rows[index]?.tokens ?? []).entries()) {
      sum += tokens;
      stacked[part]?.push(sum);
    }
    largest = Math.max(largest, prompts[index] ?? 0);
  }
  chart.setData([at, ...stacked.toReversed()], false);
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
          splits: (...[, , from, to, increment]) => roundSteps(props().rows, [from, to], increment),
          values: (_, at) => at.map((index) => stepName(props().rows[index])),
        },
        { ...axis, size: 44, grid: { stroke: color("line"), width: 1 }, values: (_, at) => at.map(short) },
      ],
      series: [
        {},
        ...parts.toReversed().map((part) => ({
          label: part,
          fill: color(`part-${part}`),
          width: 0,
          points: { show: false },
        })),
      ],
      hooks: {
        draw: [(chart) => drawMarks(chart, props()), (chart) => markChosen(chart, props())],
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

/** Returns the positions of the rows between two whose step is a multiple of the increment. A thread may begin at step -1. */
function roundSteps(
  rows: readonly StepRow[],
  [from, to]: readonly [number, number],
  increment: number,
): number[] {
  const first = rows[0]?.step ?? 0;
  const start = Math.ceil((from + first) / increment) * increment - first;
  return Array.from(
    { length: Math.max(0, Math.floor((to - start) / increment) + 1) },
    (_, at) => start + at * increment,
  );
}

function stepName(row: StepRow | undefined): string {
  return row?.step === undefined || row.step === null ? "" : String(row.step);
}

function zoom(chart: uPlot, { onRange }: TimelineChartProps): void {
  const { left, width } = chart.select;
  if (width < 4) return;
  const [from, to] = [chart.posToVal(left, "x"), chart.posToVal(left + width, "x")];
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (to - from >= 2) onRange([Math.floor(from), Math.ceil(to)]);
}

function choose(chart: uPlot, { rows, onSelect }: TimelineChartProps): void {
  const { left = -1 } = chart.cursor;
  const index = Math.round(chart.posToVal(left, "x"));
  if (left >= 0) onSelect(Math.min(Math.max(index, 0), rows.length - 1));
}
