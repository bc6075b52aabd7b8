import { lineStyle } from "./line-style.js";
import type { Growth } from "./measure-growth.js";
import { messageBytes } from "./texts.js";

interface Series {
  readonly label: string;
  readonly measured: readonly Growth[];
}

interface Panel {
  readonly title: string;
  readonly left: number;
  readonly value: (growth: Growth) => number;
  readonly unit: (value: number) => string;
  readonly series: readonly Series[];
  /** A line for comparison: the size of the messages themselves. */
  readonly content?: (steps: number) => number;
}

interface Scale {
  readonly ticks: readonly number[];
  readonly at: (value: number) => number;
}

interface Scales {
  readonly x: Scale;
  readonly y: Scale;
}

const width = 370;
const height = 280;
const top = 44;
const gutter = 90;
const perRow = 3;

/** Follows the reader's colour scheme, light or dark. The chart has its own background. */
const style = `<style>
  svg { --ground: #ffffff; --ink: #1f2328; --soft: #59636e; --grid: #d8dee4;
    --green: #15803d; --teal: #0d9488; --blue: #2563eb; --purple: #9333ea; --amber: #b45309; --red: #dc2626; --pink: #db2777; }
  @media (prefers-color-scheme: dark) { svg { --ground: #0d1117; --ink: #e6edf3; --soft: #9198a1; --grid: #30363d;
    --green: #4ade80; --teal: #2dd4bf; --blue: #60a5fa; --purple: #c084fc; --amber: #fbbf24; --red: #f87171; --pink: #f472b6; } }
  text { fill: var(--ink); } .soft { fill: var(--soft); }
</style>`;

/** Returns a log-log chart of bytes, and of time a step, against steps, as SVG. Pure. */
export function chart(series: readonly Series[]): string {
  const panels: Panel[] = [
    {
      title: "Stored in all",
      left: gutter,
      value: ({ bytes }) => bytes,
      unit: asBytes,
      series,
      content: (steps) => steps * messageBytes,
    },
    {
      title: "Time of a step",
      left: 2 * gutter + width,
      value: ({ msPerStep }) => msPerStep,
      unit: (ms) => `${ms} ms`,
      series,
    },
  ];
  const total = top + height + 70 + Math.ceil((series.length + 1) / perRow) * 22;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * (width + gutter) + 30} ${total}" font-family="system-ui, sans-serif" font-size="13">`,
    style,
    `<rect width="100%" height="100%" fill="var(--ground)"/>`,
    ...panels.flatMap(draw),
    ...[...series.map(({ label }) => label), "the content itself"].flatMap(legend),
    "</svg>\n",
  ].join("\n");
}

function draw(panel: Panel): string[] {
  const { title, left, value, unit, series, content } = panel;
  const { x, y } = scalesOf(panel);
  const lines = series.flatMap(({ label, measured }) => {
    const { color, dash, width: weight } = lineStyle(label);
    const at = measured.map((each) => [x.at(each.steps).toFixed(1), y.at(value(each)).toFixed(1)] as const);
    const path = at.map((point) => point.join(",")).join(" ");
    const dots = at.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="${weight}" fill="${color}"/>`);
    return [
      `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="${weight}" stroke-dasharray="${dash}"/>`,
      ...(dash === "" ? dots : []),
    ];
  });
  const floor = top + height;
  return [
    `<text x="${left}" y="${top - 18}" font-weight="600">${title}</text>`,
    ...x.ticks.flatMap((each) => [
      `<line x1="${x.at(each)}" x2="${x.at(each)}" y1="${floor}" y2="${floor + 5}" stroke="var(--soft)"/>`,
      `<text class="soft" x="${x.at(each)}" y="${floor + 20}" text-anchor="middle">${each.toLocaleString("en-US")}</text>`,
    ]),
    ...y.ticks.flatMap((each) => [
      `<line x1="${left}" x2="${left + width}" y1="${y.at(each)}" y2="${y.at(each)}" stroke="var(--grid)"/>`,
      `<text class="soft" x="${left - 8}" y="${y.at(each) + 4}" text-anchor="end">${unit(each)}</text>`,
    ]),
    `<line x1="${left}" x2="${left + width}" y1="${floor}" y2="${floor}" stroke="var(--soft)"/>`,
    `<text class="soft" x="${left + width / 2}" y="${floor + 40}" text-anchor="middle">steps, each adding a message of 2 KB</text>`,
    ...(content ? contentLine({ x, y }, content) : []),
    ...lines,
  ];
}

function contentLine({ x, y }: Scales, content: (steps: number) => number): string[] {
  const points = x.ticks.map((steps) => `${x.at(steps).toFixed(1)},${y.at(content(steps)).toFixed(1)}`);
  return [
    `<polyline points="${points.join(" ")}" fill="none" stroke="var(--soft)" stroke-width="1.5" stroke-dasharray="1 4"/>`,
  ];
}

function legend(label: string, index: number): string[] {
  const { color, dash, width: weight } = lineStyle(label);
  const x = gutter + (index % perRow) * 300;
  const y = top + height + 70 + Math.floor(index / perRow) * 22;
  return [
    `<line x1="${x}" x2="${x + 34}" y1="${y - 4}" y2="${y - 4}" stroke="${color}" stroke-width="${weight}" stroke-dasharray="${dash}"/>`,
    `<text x="${x + 42}" y="${y}">${label.replace(/, random$/u, "")}</text>`,
  ];
}

function scalesOf({ left, value, series, content }: Panel): Scales {
  const points = series.flatMap(({ measured }) => measured);
  const steps = [...new Set(points.map((each) => each.steps))].toSorted((a, b) => a - b);
  return {
    x: { ...scale(steps, left, left + width), ticks: steps },
    y: scale([...points.map(value), ...(content ? steps.map(content) : [])], top + height, top),
  };
}

/** A logarithmic scale with a tick at each power of ten, and at its double and fivefold when there are few. */
function scale(values: readonly number[], start: number, end: number): Scale {
  const low = Math.log10(Math.min(...values)) - 0.08;
  const high = Math.log10(Math.max(...values)) + 0.08;
  const powers = Array.from(
    { length: Math.ceil(high) - Math.floor(low) + 1 },
    (_, index) => Math.floor(low) + index,
  );
  const factors = high - low > 2.2 ? [1] : [1, 2, 5];
  return {
    ticks: powers
      .flatMap((power) => factors.map((factor) => Number((factor * 10 ** power).toPrecision(1))))
      .filter((tick) => Math.log10(tick) >= low && Math.log10(tick) <= high),
    at: (value) => start + ((Math.log10(value) - low) / (high - low)) * (end - start),
  };
}

function asBytes(value: number): string {
  if (value >= 1e9) return `${value / 1e9} GB`;
  if (value >= 1e6) return `${value / 1e6} MB`;
  return value >= 1e3 ? `${value / 1e3} KB` : String(value);
}
