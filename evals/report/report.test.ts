import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Chart, SuiteResult } from "../suite.js";
import { chartSvg } from "./chart-svg.js";
import { environment } from "./environment.js";
import { keepRun, keptRuns, type KeptRun } from "./kept-runs.js";
import { choosingPage, evidencePage, replaceFigures } from "./figures-pages.js";
import { writeReport } from "./write-report.js";

const chart: Chart = {
  title: "A chart",
  x: { label: "steps", scale: "log" },
  y: { label: "share", scale: "linear" },
  series: [
    { label: "Palimpsest", points: [1, 10, 100].map((x) => ({ x, y: 1 / x, low: 0, high: 1 })) },
    { label: "random", points: [{ x: 0, y: Number.NaN }] },
  ],
};
const result: SuiteResult = {
  suite: "probe",
  question: "Does <b>it</b> & that hold?",
  cases: 2,
  passed: true,
  tables: [{ title: "A | table", columns: ["name", "value"], rows: [["a|b", 1_234_567]] }],
  charts: [chart],
  comparisons: [
    {
      measure: "recall",
      unit: "share",
      better: "higher",
      ours: 0.9,
      rivals: [{ name: "other", value: 0.5 }],
      margin: 0.01,
    },
  ],
  numbers: {},
};
const run: KeptRun = {
  result,
  seconds: 1,
  cpuSeconds: 1,
  data: false,
  quick: false,
  environment: environment(),
};
const block = "<!-- eval table: npm run eval -- --readme -->\nold\n<!-- end of eval table -->";

const replace = (text: string, runs: readonly KeptRun[]) => () => replaceFigures(text, evidencePage, runs);

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "report-test-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("the page of the report is self-contained, escapes text and computes the verdict", () => {
  keepRun(run, folder);
  const page = readFileSync(writeReport(["probe"], folder), "utf8");
  expect(page).toContain("Does &lt;b&gt;it&lt;/b&gt; &amp; that hold?");
  expect(page).toContain("▲ ahead");
  expect(page).toContain("1,234,567");
  expect(page).not.toMatch(/(?:src|href)="https?:/);
  expect(readFileSync(join(folder, "tables.md"), "utf8")).toContain("a\\|b");
  expect(keptRuns([], folder)).toEqual([JSON.parse(JSON.stringify(run))]);
});

it("the headline counts the rows of the tables below it", () => {
  const units = ["share", "count", "tokens", "ratio", "ms", "bytes"] as const;
  const ours = [0.9, 3, 0.5, 0.5, 0.1, 0.5];
  const rivals = [{ name: "other", value: 0.5 }];
  const made = units.map((unit, at) => ({
    measure: unit,
    unit,
    better: "higher" as const,
    ours: ours[at] ?? 0,
    rivals,
    margin: 0.01,
  }));
  keepRun({ ...run, result: { ...result, comparisons: made } }, folder);
  const page = readFileSync(writeReport(["probe"], folder), "utf8");
  const counted = [...page.matchAll(/class="count (\w+)"><b>(\d+)</gu)].map(([, name, count]) => [
    name,
    count,
  ]);
  const rows = [...page.matchAll(/class="mark (\w+)">[▲●▼]/gu)].map(([, name]) => name);
  expect(counted).toEqual([
    ["ahead", "2"],
    ["level", "3"],
    ["behind", "1"],
  ]);
  expect(rows).toEqual(expect.arrayContaining(["ahead", "level", "behind"]));
  expect(rows).toHaveLength(units.length);
});

it("a chart draws a line and its band, and leaves out values that an axis cannot show", () => {
  const svg = chartSvg(chart);
  expect(svg).toContain("Palimpsest");
  expect(svg).toContain('fill-opacity="0.13"');
  expect(svg).not.toContain("NaN");
});

it("every series of a chart has a colour of its own", () => {
  const labels = [
    ...Array.from({ length: 20 }, (_, at) => `policy ${at}`),
    "Palimpsest",
    "our ladder",
    "oracle",
  ];
  const svg = chartSvg({ ...chart, series: labels.map((label) => ({ label, points: [{ x: 1, y: 1 }] })) });
  const colors = [...svg.matchAll(/<circle [^>]*fill="(hsl[^"]+)"/g)].map(([, color]) => color);
  expect(new Set(colors).size).toBe(labels.length);
});

it("only the block of the page about evidence is replaced", () => {
  const text = replaceFigures(`before\n${block}\nafter`, evidencePage, [run]);
  expect(text).toMatch(/^before\n<!-- eval table[^]*\| recall[^]*<!-- end of eval table -->\nafter$/);
  expect(text).not.toContain("old");
  expect(replaceFigures(text, evidencePage, [run])).toBe(text);
});

it("the page about choosing shows the tables of choices, each below its heading", () => {
  const choices = [
    { title: "Chat", columns: ["strategy", "found"], rows: [["predictive", "70 %"]], note: "N." },
  ];
  const chosen: KeptRun = { ...run, result: { ...result, choices } };
  const text = replaceFigures(block, choosingPage, [run, chosen]);
  expect(text).toContain("### Chat\n\n| strategy");
  expect(text).toContain("70 %");
  expect(text).not.toContain("recall");
});

it("a page takes no figures from a quick run, and needs at least one run", () => {
  expect(replace(block, [{ ...run, quick: true }])).toThrow("--quick");
  expect(replace(block, [])).toThrow("Nothing was measured");
  expect(replace("no block", [run])).toThrow("has no block");
});
