import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import type { Axis, Chart, Series } from "../suite.js";
import { seriesStyle, type SeriesStyle } from "./series-style.js";

const size = { width: 560, height: 340, marginLeft: 62, marginRight: 18, marginTop: 26, marginBottom: 44 };

/** Returns a chart as SVG: lines, bands, a dot at each of a few points. Its colours are variables of the page. */
export function chartSvg({ title, x, y, series, drawn: how = "lines" }: Chart): string {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const styles = seriesStyle(series.map(({ label }) => label));
  const drawn = series.map((one) => ({ ...one, points: one.points.filter((each) => fits(each, x, y)) }));
  const svg = Plot.plot({
    ...size,
    document,
    ariaLabel: title,
    style: { background: "none", fontSize: "12px" },
    x: { ...scaleOf(x), ticks: ticksOf(x, drawn.flatMap(xs)), ...extent(drawn, x, "x") },
    y: { ...scaleOf(y), ticks: y.scale === "log" ? 5 : 6, grid: true, ...extent(drawn, y, "y") },
    // The wide lines, ours, come first, so that a line that coincides with one still shows.
    marks: drawn
      .map((one, index) => ({ one, style: styles[index], number: index + 1 }))
      .toSorted((a, b) => (b.style?.width ?? 0) - (a.style?.width ?? 0))
      .flatMap(({ one, style, number }) =>
        how === "points"
          ? pointMarks(one, style, number)
          : marksOf(one, { style, hasBand: drawn.length <= mostBands || isWide(style) }),
      ),
  });
  // A group is no element that may have a name; the whole is a picture with one.
  for (const group of svg.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label");
  svg.setAttribute("role", "img");
  return svg.outerHTML;
}

type Point = Series["points"][number];

/** A logarithmic axis needs positive values. */
function fits(point: Point, x: Axis, y: Axis): boolean {
  const isFinite = Number.isFinite(point.x) && Number.isFinite(point.y);
  return isFinite && (x.scale === "linear" || point.x > 0) && (y.scale === "linear" || point.y > 0);
}

function scaleOf({ label, scale }: Axis) {
  return { type: scale, label, labelArrow: "none", tickFormat: compact, nice: scale === "linear" } as const;
}

function xs({ points }: Series): readonly number[] {
  return points.map(({ x }) => x);
}

/** The values themselves if there are few; 1, 2 and 5 times the powers of ten on a short logarithmic axis. */
function ticksOf({ scale }: Axis, values: readonly number[]): number | readonly number[] {
  const distinct = [...new Set(values)];
  if (scale === "linear") return 7;
  if (distinct.length <= 7) return distinct;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (high / low > 300) return 5;
  const decades = Array.from({ length: 12 }, (_, power) => 10 ** power);
  return decades.flatMap((ten) => [ten, 2 * ten, 5 * ten]).filter((tick) => tick >= low && tick <= high);
}

/** With more series than this, only ours has its band: the others would hide each other. */
const mostBands = 8;

function isWide(style: SeriesStyle | undefined): boolean {
  return (style?.width ?? 0) > 3;
}

/** A linear axis of values starts at zero; one of shares ends at one. */
function extent(series: readonly Series[], { scale }: Axis, side: "x" | "y") {
  if (scale === "log" || side === "x") return {};
  const values = series.flatMap(({ points }) => points.flatMap((point) => [point.y, point.high ?? point.y]));
  const top = Math.max(...values);
  return { domain: [0, top <= 1 && top > 0.2 ? 1 : top * 1.05] };
}

interface MarkOptions {
  readonly style: SeriesStyle | undefined;
  readonly hasBand: boolean;
}

function marksOf({ points, label }: Series, { style, hasBand }: MarkOptions) {
  const { color = "currentColor", dash = "", width = 1.75 } = style ?? {};
  const at = { x: "x", y: "y" } as const;
  const band = hasBand && points.some(({ low, high }) => low !== undefined && high !== undefined);
  const line = Plot.lineY(points, {
    ...at,
    stroke: color,
    strokeWidth: width,
    ...(dash === "" ? {} : { strokeDasharray: dash }),
  });
  const title = (point: Point) => `${label}: ${compact(point.y)} at ${compact(point.x)}`;
  return [
    ...(band
      ? [
          Plot.areaY(points, {
            x: "x",
            y1: (point: Point) => point.low ?? point.y,
            y2: (point: Point) => point.high ?? point.y,
            fill: color,
            fillOpacity: 0.13,
          }),
        ]
      : []),
    line,
    ...(points.length <= 30 && dash === ""
      ? [Plot.dot(points, { ...at, fill: color, r: points.length === 1 ? 4.5 : width > 3 ? 4 : 2.5, title })]
      : []),
  ];
}

/** Returns the points of a series with their intervals and the number of the series. */
function pointMarks({ points, label }: Series, style: SeriesStyle | undefined, number: number) {
  const { color = "currentColor" } = style ?? {};
  const size = isWide(style) ? 6 : 4;
  const interval = { stroke: color, strokeWidth: 1.25, strokeOpacity: 0.6 };
  return [
    Plot.ruleX(points, { x: "x", y1: low, y2: high, ...interval }),
    Plot.ruleY(points, { y: "y", x1: xLow, x2: xHigh, ...interval }),
    Plot.dot(points, {
      x: "x",
      y: "y",
      fill: color,
      r: size,
      title: ({ x, y }: Point) => `${label}: ${compact(y)} at ${compact(x)}`,
    }),
    Plot.text(points, {
      x: "x",
      y: "y",
      text: () => String(number),
      dx: size + 3,
      dy: -size - 3,
      fill: "currentColor",
    }),
  ];
}

function low({ y, low: value = y }: Point): number {
  return value;
}

function high({ y, high: value = y }: Point): number {
  return value;
}

function xLow({ x, xLow: value = x }: Point): number {
  return value;
}

function xHigh({ x, xHigh: value = x }: Point): number {
  return value;
}

const formatter = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

function compact(value: number): string {
  return formatter.format(value).replace("K", () => "k");
}
