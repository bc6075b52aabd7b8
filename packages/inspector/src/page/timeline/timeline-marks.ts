import type uPlot from "uplot";
import type { StepRow } from "../../view.js";

/** What is drawn over the areas. */
export interface Marks {
  readonly rows: readonly StepRow[];
  /** Positions of the rows that folded, in ascending order. */
  readonly folds: readonly number[];
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
  drawFolds(chart, marks, color("fold"));
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

/** A triangle above each step that folded; at most one for each pixel. */
function drawFolds(chart: uPlot, { rows, folds }: Marks, color: string): void {
  const { ctx, bbox, scales } = chart;
  const { min = 0, max = 0 } = scales["x"] ?? {};
  const size = 4 * devicePixelRatio;
  let last = Number.NEGATIVE_INFINITY;
  ctx.fillStyle = color;
  for (const index of folds) {
    if (index < (min ?? 0) || index > (max ?? 0)) continue;
    const x = chart.valToPos(index, "x", true);
    if (x - last < 1) continue;
    last = x;
    const isCompaction = rows[index]?.isEpoch === true;
    ctx.globalAlpha = isCompaction ? 1 : 0.45;
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top - size * 1.6);
    ctx.lineTo(x + size, bbox.top - size * 1.6);
    ctx.lineTo(x, bbox.top - size * 0.2);
    ctx.fill();
  }
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
