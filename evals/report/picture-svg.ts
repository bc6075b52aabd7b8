import type { Chart } from "../suite.js";
import { chartSvg } from "./chart-svg.js";
import { html, raw, type Html } from "./html.js";
import { darkColors, lightColors } from "./page-style.js";
import { seriesStyle, type SeriesStyle } from "./series-style.js";

const size = { width: 560, head: 40, chart: 340, row: 20, foot: 14 };

/** Returns a chart as a picture of its own: title, lines and legend, light or dark as the reader's system. Pure. */
export function pictureSvg(chart: Chart): string {
  const styles = seriesStyle(chart.series.map(({ label }) => label));
  const legend = chart.series.flatMap(({ label }, index) => {
    const style = styles[index];
    return style === undefined ? [] : [entry(label, style, index)];
  });
  const height = size.head + size.chart + Math.ceil(legend.length / 2) * size.row + size.foot;
  const colors = `svg { ${lightColors} } @media (prefers-color-scheme: dark) { svg { ${darkColors} } }`;
  const picture = html`<svg
    xmlns="http://www.w3.org/2000/svg"
    viewBox="0 0 ${size.width} ${height}"
    role="img"
    font-family="system-ui, sans-serif"
    font-size="12.5"
  >
    <style>
      ${raw(colors)} text {
        fill: var(--ink);
      }
      g {
        color: var(--ink);
      }
    </style>
    <rect width="100%" height="100%" rx="10" fill="var(--card)" />
    <text x="24" y="28" font-size="15" font-weight="600">${chart.title}</text>
    <g transform="translate(0 ${size.head})">${raw(chartSvg(chart))}</g>
    ${legend}
  </svg>`;
  return `${picture.html}\n`;
}

/** Two entries to a row. */
function entry(label: string, { color, dash, width }: SeriesStyle, index: number): Html {
  const x = 24 + (index % 2) * 270;
  const y = size.head + size.chart + Math.floor(index / 2) * size.row + 8;
  return html`<line
      x1="${x}"
      x2="${x + 26}"
      y1="${y}"
      y2="${y}"
      stroke="${color}"
      stroke-width="${width}"
      stroke-dasharray="${dash}"
    /><text x="${x + 34}" y="${y + 4}">${label}</text> `;
}
