import type uPlot from "uplot";
import type { StepRow } from "../../view.js";

/** What is drawn over the areas. */
export interface Marks {
  readonly rows: readonly StepRow[];
  /** Positions of the rows that folded, in ascending order. */
  readonly folds: readonly number[];
  /** Positions of the rows at which something failed, in ascending order. */
  readonly faults: readonly number[];
  /** Tokens of the window; null if it is unknown. */
  readonly window: number | null;
  /** Positions of rows at which the chosen message was in sight, both inclusive; undefined without a chosen message. */
  readonly spans: readonly (readonly [number, number])[] | undefined;
}

/** Draws the window, the folds and the places of the chosen message. */
export function drawMarks(chart: uPlot, marks: Marks): void {
  const { ctx } = chart;
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  ctx.save();
  drawWindow(chart, marks, color("warn"));
  drawStates(chart, marks, color("dim"));
  drawFolds(chart, marks, color("fold"));
  drawFaults(chart, marks, color("warn"));
  if (marks.spans) drawSpans(chart, marks.spans, [color("accent"), color("fold")]);
  ctx.restore();
}

function drawWindow(chart: uPlot, { window }: Marks, color: string): void {
  if (window === null) return;
  const { ctx, bbox } = chart;
  const y = Math.round(chart.valToPos(window, "y", true));
  ctx.strokeStyle = color;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** Calls `mark` for each visible position, at most once for each pixel. */
function eachPixel(
  chart: uPlot,
  positions: Iterable<number>,
  mark: (x: number, index: number) => void,
): void {
  const { min, max } = chart.scales["x"] ?? {};
  let last = Number.NEGATIVE_INFINITY;
  for (const index of positions) {
    if (index < (min ?? 0) || index > (max ?? 0)) continue;
    const x = chart.valToPos(index, "x", true);
    if (x - last < devicePixelRatio) continue;
    last = x;
    mark(x, index);
  }
}

/** Rows that are so close together that their ticks would be a bar say nothing. */
const leastPixels = 3;

/** A tick below each checkpoint that no call was sent. */
function drawStates(chart: uPlot, { rows }: Marks, color: string): void {
  const { ctx, bbox, scales } = chart;
  const { min, max } = scales["x"] ?? {};
  const [from, to] = [Math.max(0, Math.floor(min ?? 0)), Math.min(rows.length - 1, max ?? 0)];
  if (bbox.width / Math.max(1, to - from) < leastPixels * devicePixelRatio) return;
  ctx.fillStyle = color;
  const states = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  eachPixel(
    chart,
    states.filter((index) => rows[index]?.calls.length === 0),
    (x) => ctx.fillRect(x, bbox.top + bbox.height, devicePixelRatio, 3 * devicePixelRatio),
  );
}

/** A red tick above each step at which something failed. */
function drawFaults(chart: uPlot, { faults }: Marks, color: string): void {
  const { ctx, bbox } = chart;
  const [width, height] = [2 * devicePixelRatio, 9 * devicePixelRatio];
  ctx.fillStyle = color;
  eachPixel(chart, faults, (x) => ctx.fillRect(x - width / 2, bbox.top - height, width, height));
}

/** A triangle above each step that folded. */
function drawFolds(chart: uPlot, { rows, folds }: Marks, color: string): void {
  const { ctx, bbox } = chart;
  const size = 4 * devicePixelRatio;
  ctx.fillStyle = color;
  eachPixel(chart, folds, (x, index) => {
    const isCompaction = rows[index]?.isEpoch === true;
    ctx.globalAlpha = isCompaction ? 1 : 0.45;
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top - size * 1.6);
    ctx.lineTo(x + size, bbox.top - size * 1.6);
    ctx.lineTo(x, bbox.top - size * 0.2);
    ctx.fill();
  });
  ctx.globalAlpha = 1;
}

/** A strip at the bottom: the steps at which the chosen message was in the context, and those after at which it was folded. */
function drawSpans(
  chart: uPlot,
  spans: readonly (readonly [number, number])[],
  [seen = "", folded = ""]: readonly string[],
): void {
  const { ctx, bbox, scales } = chart;
  const height = 5 * devicePixelRatio;
  const y = bbox.top + bbox.height - height;
  const { max } = scales["x"] ?? {};
  const bar = (from: number, to: number, color: string): void => {
    const start = Math.max(bbox.left, chart.valToPos(from, "x", true));
    const end = Math.min(bbox.left + bbox.width, chart.valToPos(to, "x", true));
    ctx.fillStyle = color;
    if (end >= start) ctx.fillRect(start, y, Math.max(end - start, devicePixelRatio), height);
  };
  const [first] = spans;
  if (first) bar(first[0], max ?? first[1], folded);
  for (const [from, to] of spans) bar(from, to + 1, seen);
}
