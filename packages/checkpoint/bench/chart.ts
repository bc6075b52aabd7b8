import type { Growth } from "./measure-growth.js";

interface Series {
  readonly label: string;
  readonly measured: readonly Growth[];
}

interface Panel {
  readonly title: string;
  readonly left: number;
  readonly value: (growth: Growth) => number;
  readonly series: readonly Series[];
}

const width = 380;
const height = 260;
const top = 40;
const colors = ["#1b7f4d", "#7bc8a4", "#c0392b", "#e67e22", "#8e44ad", "#2c3e50", "#2980b9", "#95a5a6"];

/** Returns a log-log chart of bytes, and of time a step, against steps, as SVG. Pure. */
export function chart(series: readonly Series[]): string {
  const panels: Panel[] = [
    { title: "bytes stored", left: 60, value: ({ bytes }) => bytes, series },
    { title: "ms a step", left: 60 + width + 80, value: ({ msPerStep }) => msPerStep, series },
  ];
  const legend = series.map(
    ({ label }, index) =>
      `<text x="${70 + (index % 3) * 290}" y="${top + height + 60 + Math.floor(index / 3) * 18}" fill="${colorOf(index)}">● ${label}</text>`,
  );
  const total = top + height + 80 + Math.ceil(series.length / 3) * 18;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * width + 200} ${total}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    ...panels.flatMap(draw),
    ...legend,
    "</svg>\n",
  ].join("\n");
}

function draw({ title, left, value, series }: Panel): string[] {
  const points = series.flatMap(({ measured }) => measured);
  const x = scale(
    points.map(({ steps }) => steps),
    left,
    left + width,
  );
  const y = scale(points.map(value), top + height, top);
  const lines = series.map(({ measured }, index) => {
    const color = colorOf(index);
    const at = measured.map((each) => [x.at(each.steps).toFixed(1), y.at(value(each)).toFixed(1)] as const);
    const dots = at.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${color}"/>`);
    const path = at.map((point) => point.join(",")).join(" ");
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>${dots.join("")}`;
  });
  const steps = [...new Set(points.map((each) => each.steps))];
  return [
    `<text x="${left}" y="${top - 16}" font-weight="bold">${title}</text>`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="none" stroke="#ccc"/>`,
    ...steps.map(
      (each) => `<text x="${x.at(each)}" y="${top + height + 18}" text-anchor="middle">${each}</text>`,
    ),
    ...y.ticks.map(
      (each) =>
        `<text x="${left - 6}" y="${y.at(each) + 4}" text-anchor="end">${short(each)}</text><line x1="${left}" x2="${left + width}" y1="${y.at(each)}" y2="${y.at(each)}" stroke="#eee"/>`,
    ),
    `<text x="${left + width / 2}" y="${top + height + 36}" text-anchor="middle">steps</text>`,
    ...lines,
  ];
}

/** A logarithmic scale over values, with a tick at each power of ten. */
function scale(values: readonly number[], start: number, end: number) {
  const low = Math.log10(Math.min(...values)) - 0.05;
  const high = Math.log10(Math.max(...values)) + 0.05;
  const ticks = Array.from(
    { length: Math.floor(high) - Math.ceil(low) + 1 },
    (_, index) => 10 ** (Math.ceil(low) + index),
  );
  return {
    ticks,
    at: (value: number): number => start + ((Math.log10(value) - low) / (high - low)) * (end - start),
  };
}

function short(value: number): string {
  if (value >= 1e9) return `${value / 1e9} GB`;
  if (value >= 1e6) return `${value / 1e6} MB`;
  return value >= 1e3 ? `${value / 1e3} KB` : String(value);
}

function colorOf(index: number): string {
  return colors[index % colors.length] ?? "black";
}
