import type { Chart, Table } from "../suite.js";
import { chartSvg } from "./chart-svg.js";
import { formatCell, formatValue } from "./format-value.js";
import { html, raw, type Html } from "./html.js";
import type { KeptRun } from "./kept-runs.js";
import { pageScript, pageStyle } from "./page-style.js";
import { verdictOf, type Standing, type Verdict } from "./verdict.js";

const longTable = 16;
const marks: Readonly<Record<Standing, string>> = { ahead: "▲ ahead", level: "● level", behind: "▼ behind" };
const order: readonly Standing[] = ["ahead", "level", "behind"];

/** Returns the report as one HTML page that needs nothing else. Pure but for the charts' document. */
export function page(runs: readonly KeptRun[]): string {
  const title = "Palimpsest, measured";
  const { html: text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${raw(pageStyle)}
        </style>
      </head>
      <body>
        <main>
          <header>
            <div>
              <h1>${title}</h1>
              <p class="lead">
                What its context management keeps and costs, beside the baselines and systems that one could
                use instead: same runs, same budgets, same machine.
              </p>
            </div>
            <button id="theme" type="button">Light / dark</button>
          </header>
          <nav>${runs.map(({ result }) => html`<a href="#${result.suite}">${result.suite}</a>`)}</nav>
          ${summary(runs)} ${runs.map(section)} ${colophon(runs)}
        </main>
        <script>
          ${raw(pageScript)};
        </script>
      </body>
    </html> `;
  return text;
}

function summary(runs: readonly KeptRun[]): Html {
  const verdicts = runs.flatMap(({ result }) =>
    (result.comparisons ?? []).map((comparison) => ({ suite: result.suite, ...verdictOf(comparison) })),
  );
  const sorted = order.flatMap((standing) => verdicts.filter((verdict) => verdict.standing === standing));
  const failed = runs.filter(({ result }) => !result.passed);
  const count = (standing: Standing) => verdicts.filter((verdict) => verdict.standing === standing).length;
  return html`<section id="verdict">
    <header><h2>In one minute</h2></header>
    <p>
      ${runs.length} suites and benches; the requirements on Palimpsest held in ${runs.length - failed.length}
      of
      them${failed.length === 0 ? "" : ` (not in: ${failed.map(({ result }) => result.suite).join(", ")})`}.
      In each measure it is compared with the <em>best</em> of the others: it is ahead or behind where the two
      differ by more than <em>level within</em>, and level otherwise. A suite or bench holds if all its
      requirements do.
    </p>
    <div class="counts">
      ${order.map((standing) => html`<div class="count ${standing}"><b>${count(standing)}</b>${marks[standing]}</div>`)}
    </div>
    ${groups.map(({ title, units }) =>
      verdictTable(
        title,
        sorted.filter(({ unit }) => units.includes(unit)),
      ),
    )}
  </section>`;
}

/** Units that belong in one table. */
const groups: readonly { readonly title: string; readonly units: readonly Verdict["unit"][] }[] = [
  { title: "Kept and found again", units: ["share", "count"] },
  { title: "Tokens and money", units: ["tokens", "ratio"] },
  { title: "Time and storage", units: ["ms", "bytes"] },
];

function verdictTable(title: string, verdicts: readonly SuiteVerdict[]): Html {
  if (verdicts.length === 0) return html``;
  return html`<div class="table">
    <h3>${title}</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="${title}">
      <table class="verdict">
        <thead>
          <tr>
            <th>standing</th>
            <th>measure</th>
            <th class="number">Palimpsest</th>
            <th class="number">best of the others</th>
            <th>which is</th>
            <th class="number">level within</th>
          </tr>
        </thead>
        <tbody>
          ${verdicts.map(verdictRow)}
        </tbody>
      </table>
    </div>
  </div>`;
}

type SuiteVerdict = Verdict & { readonly suite: string };

function verdictRow(verdict: SuiteVerdict): Html {
  const { best, better, margin, measure, ours, standing, suite, unit } = verdict;
  return html`<tr>
    <td><span class="mark ${standing}">${marks[standing]}</span></td>
    <td><a href="#${suite}">${suite}</a>: ${measure} <span class="small">(${better} is better)</span></td>

    <td class="number" data-label="Palimpsest">${formatValue(ours, unit)}</td>
    <td class="number" data-label="best of the others">${formatValue(best.value, unit)}</td>
    <td data-label="which is">${best.name}</td>
    <td class="number" data-label="level within">${formatValue(margin, unit)}</td>
  </tr>`;
}

function section({ result, seconds, data, quick, environment }: KeptRun): Html {
  const kind = `${quick ? "small version; " : ""}${data ? "recorded and generated runs" : "generated only"}`;
  return html`<section id="${result.suite}">
    <header>
      <div>
        <h2>${result.suite}</h2>
        <p class="lead">${result.question}</p>
      </div>
      <span class="mark ${result.passed ? "ahead" : "behind"}"
        >${result.passed ? "holds" : "does not hold"}</span
      >
    </header>
    <p class="small">
      ${result.cases} cases in ${formatCell(seconds)} s; ${kind};
      ${environment.date.slice(0, 16).replace("T", () => " ")}
    </p>
    ${(result.tooSmall ?? []).map((line) => html`<p class="small">Too small to tell: ${line}</p>`)}
    <div class="charts">${(result.charts ?? []).map(figure)}</div>
    ${result.tables.map(tableBlock)}
  </section>`;
}

function figure(chart: Chart): Html {
  return html`<div class="figure">
    <h3>${chart.title}</h3>
    ${raw(chartSvg(chart))} ${chart.note === undefined ? "" : html`<p class="small">${chart.note}</p>`}
  </div>`;
}

function tableBlock(table: Table): Html {
  const isNumber = table.columns.map((_, at) => table.rows.every((row) => readsAsNumber(row[at])));
  const cell = (value: string | number, at: number) =>
    html`<td class="${isNumber[at] === true ? "number" : ""}">${formatCell(value)}</td>`;
  const body = html`<div class="scroll" tabindex="0" role="region" aria-label="${table.title}">
      <table>
        <thead>
          <tr>
            ${table.columns.map((name, at) => html`<th class="${isNumber[at] === true ? "number" : ""}">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${table.rows.map(
            (row) =>
              html`<tr class="${isOurs(row) ? "ours" : ""}">
                ${row.map(cell)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${table.note === undefined ? "" : html`<p class="small">${table.note}</p>`}`;
  if (table.rows.length <= longTable)
    return html`<div class="table">
      <h3>${table.title}</h3>
      ${body}
    </div>`;
  return html`<details class="table">
    <summary>${table.title} (${table.rows.length} rows)</summary>
    ${body}
  </details>`;
}

/** True for numbers, numbers with a unit, and placeholders for no value. */
function readsAsNumber(cell: string | number | undefined): boolean {
  return typeof cell === "number" || /^(?:–|)$|^[\d.,]+ ?(?:%|×|[KMG]B|ms)?$/.test(cell ?? "");
}

function isOurs(row: readonly (string | number)[]): boolean {
  return row.slice(0, 2).some((cell) => /palimpsest|our ladder|^VfsSaver/i.test(String(cell)));
}

function colophon(runs: readonly KeptRun[]): Html {
  const newest = runs.map(({ environment }) => environment).toSorted((a, b) => (a.date < b.date ? 1 : -1))[0];
  if (newest === undefined) return html``;
  const versions = Object.entries(newest.packages).map(([name, version]) => `${name} ${version}`);
  const { cpu, cores, memoryGigabytes, node, platform, commit } = newest;
  return html`<section id="how">
    <header><h2>How this was measured</h2></header>
    <p>
      ${cpu}, ${cores} cores, ${memoryGigabytes} GB, ${platform}, Node ${node};
      ${versions.join(", ")}${commit === undefined ? "" : `; commit ${commit}`}. The raw numbers, with seeds,
      are in <code>report.json</code>; the tables as Markdown in <code>tables.md</code>.
    </p>
    <p>
      Replayed runs come from agents that saw everything. That favours the full history and the newest
      messages, and shows what was there or could be found, not how an agent would have acted on it. The
      oracle knows the future and is a ceiling; random is the floor that any policy has to beat.
    </p>
    <p><code>npm run eval</code> measures it again, <code>npm run bench -- NAME</code> one of the benches.</p>
  </section>`;
}
