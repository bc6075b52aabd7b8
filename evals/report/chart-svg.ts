import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import type { Axis, Chart, Series } from "../suite.js";

const size = { width: 560, height: 340, marginLeft: 62, marginRight: 18, marginTop: 26, marginBottom: 44 };
const ours = /palimpsest|our|ladder|vfssaver/i;
const controls = /^(?:window|oracle|random|full)/i;

/** Returns a chart as SVG below its legend: a line and a band for each series, ours wide and green, controls grey. */
export function chartSvg({ title, x, y, series }: Chart): string {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const labels = series.map(({ label }) => label);
  // Ours come first, so that a line that coincides with a wide one still shows.
  const points = series
    .toSorted((one, other) => widthOf(other) - widthOf(one))
    .flatMap((one) => one.points.map((point) => ({ ...point, label: one.label, width: widthOf(one) })))
    .filter((point) => fits(point, x, y));
  const banded = points.filter(({ low, high }) => low !== undefined && high !== undefined);
  const crossed = points.filter(({ xLow, xHigh }) => xLow !== undefined && xHigh !== undefined);
  const place = { x: "x", y: "y", z: "label" } as const;
  const picture = Plot.plot({
    ...size,
    document,
    ariaLabel: title,
    style: { background: "none", fontSize: "12px" },
    color: { domain: labels, range: colorsOf(labels), legend: true },
    r: { type: "identity" },
    x: { ...scaleOf(x), ticks: ticksOf(x, points) },
    y: { ...scaleOf(y), ticks: 5, grid: true, zero: y.scale === "linear" },
    marks: [
      Plot.areaY(banded, { x: "x", y1: "low", y2: "high", z: "label", fill: "label", fillOpacity: 0.13 }),
      Plot.lineY(points, { ...place, stroke: "label", strokeWidth: "width" }),
      Plot.ruleX(crossed, { x: "x", y1: "low", y2: "high", stroke: "label", strokeOpacity: 0.6 }),
      Plot.ruleY(crossed, { y: "y", x1: "xLow", x2: "xHigh", stroke: "label", strokeOpacity: 0.6 }),
      Plot.text(points, { x: "x", y: "y", text: "text", dx: 8, dy: -8, fill: "currentColor" }),
      Plot.dot(points, {
        ...place,
        fill: "label",
        r: (point: Wide) => 1 + point.width,
        title: (point: Titled) => titleOf(point),
      }),
    ],
  });
  // A group is no element that may have a name; the whole is a picture with one.
  for (const group of picture.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label");
  for (const svg of picture.querySelectorAll("svg[aria-label]")) svg.setAttribute("role", "img");
  return picture.outerHTML;
}

type Point = Series["points"][number];
type Wide = { readonly width: number };
type Titled = Point & Pick<Series, "label">;

function titleOf({ label, x, y }: Titled): string {
  return `${label}: ${compact(y)} at ${compact(x)}`;
}

/** A logarithmic axis needs positive values. */
function fits(point: Point, x: Axis, y: Axis): boolean {
  const isFinite = Number.isFinite(point.x) && Number.isFinite(point.y);
  return isFinite && (x.scale === "linear" || point.x > 0) && (y.scale === "linear" || point.y > 0);
}

function scaleOf({ label, scale }: Axis) {
  return { type: scale, label, labelArrow: "none", tickFormat: compact, nice: scale === "linear" } as const;
}

/** The values themselves if there are few on a logarithmic axis. */
function ticksOf({ scale }: Axis, points: readonly Point[]): number | readonly number[] {
  const distinct = [...new Set(points.map(({ x }) => x))];
  return scale === "log" && distinct.length <= 7 ? distinct : 5;
}

function widthOf({ label }: Series): number {
  return ours.test(label) ? 4 : 1.75;
}

/** Every series has a colour of its own: greens for ours, greys for controls, the other hues for the rest. */
function colorsOf(labels: readonly string[]): readonly string[] {
  return labels.map((label, at) => {
    if (ours.test(label)) return `hsl(${130 + ((47 * at) % 60)} 60% 40%)`;
    if (controls.test(label)) return `hsl(40 5% ${40 + ((7 * at) % 25)}%)`;
    // By the golden angle, so that neighbours differ, without the greens.
    return `hsl(${200 + ((137 * at) % 260)} 60% 50%)`;
  });
}

const formatter = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

function compact(value: number): string {
  return formatter.format(value).replace("K", () => "k");
}
