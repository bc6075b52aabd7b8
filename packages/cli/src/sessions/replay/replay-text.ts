import { count, oneLine, renderTable } from "../../terminal-text.js";
import { escaped, reportPage, tableHtml } from "../report-page.js";
import type { Measured } from "./measure-prompts.js";
import type { ReplayedSession } from "./replay-session.js";
import type { Interval, Tuned } from "./tune.js";

const head = [
  "policy",
  "prompts",
  "largest",
  "over window",
  "sent",
  "cached",
  "bill",
  "needed and there",
  "read again",
];

function cells({
  policy,
  prompts,
  largest,
  over,
  sent,
  cached,
  bill,
  needed,
  had,
  rework,
}: Measured): readonly (string | number)[] {
  const share = sent === 0 ? "" : `${Math.round((100 * cached) / sent)} %`;
  const there = needed === 0 ? "" : `${((100 * had) / needed).toFixed(1)} %`;
  return [
    policy,
    prompts,
    Math.round(largest),
    over,
    Math.round(sent),
    share,
    bill.toFixed(3),
    there,
    Math.round(rework),
  ];
}

const legend = [
  "sent, largest, read again: tokens, estimated from the messages, with the reported rest of the first prompt in each",
  "bill: at the prices of the model, or else relative to a million input tokens (cached 0.1, written to the cache 1.25, generated 5); with what is read again",
  "needed and there: what the calls use of earlier messages, and the prompt holds; the agent of the recording saw its own prompts, which favours them",
  "summaries of the policies are extracted, not written by a model: they cost no call",
];

/** Returns what each policy came to over all sessions; the largest prompt is that of any. Pure. */
function totalsOf(sessions: readonly ReplayedSession[]): readonly Measured[] {
  const totals = new Map<string, Measured>();
  for (const row of sessions.flatMap(({ rows }) => rows)) {
    const sum = totals.get(row.policy);
    totals.set(row.policy, sum === undefined ? row : added(sum, row));
  }
  return [...totals.values()];
}

function added(sum: Measured, row: Measured): Measured {
  return {
    policy: sum.policy,
    prompts: sum.prompts + row.prompts,
    largest: Math.max(sum.largest, row.largest),
    over: sum.over + row.over,
    sent: sum.sent + row.sent,
    cached: sum.cached + row.cached,
    generated: sum.generated + row.generated,
    bill: sum.bill + row.bill,
    needed: sum.needed + row.needed,
    had: sum.had + row.had,
    rework: sum.rework + row.rework,
  };
}

/** Bills in money and relative ones do not add up. */
function hasTotals(sessions: readonly ReplayedSession[]): boolean {
  return sessions.length > 1 && new Set(sessions.map(({ isPriced }) => isPriced)).size === 1;
}

/** Returns replays for the terminal: of several, all together first. Pure. */
export function replayText(sessions: readonly ReplayedSession[]): string {
  const parts = sessions.map(({ session, model, window, rows }) => {
    const title = `${oneLine(session, 80)}: ${model === undefined ? "" : `${oneLine(model, 40)}, `}window of ${count(window)} tokens`;
    return `${title}\n${renderTable(head, rows.map(cells))}`;
  });
  if (hasTotals(sessions))
    parts.unshift(
      `All ${count(sessions.length)} sessions\n${renderTable(head, totalsOf(sessions).map(cells))}`,
    );
  return `${parts.join("\n")}\n${legend.join("\n")}\n`;
}

/** Returns replays as one page that loads nothing. Pure. */
export function replayHtml(sessions: readonly ReplayedSession[]): string {
  const parts = sessions.map(({ session, model, window, rows }) => {
    const about = `${model === undefined ? "" : `${model} · `}window of ${count(window)} tokens`;
    return articleHtml(session, about, rows);
  });
  if (hasTotals(sessions))
    parts.unshift(articleHtml(`All ${count(sessions.length)} sessions`, "", totalsOf(sessions)));
  return reportPage(
    "The same sessions under other policies",
    `<p class="lead">A bar is the bill, and red if a prompt did not fit the window.</p>
${parts.join("\n")}
<ul class="lead">${legend.map((line) => `<li>${escaped(line)}</li>`).join("")}</ul>`,
  );
}

function articleHtml(title: string, about: string, rows: readonly Measured[]): string {
  const largest = Math.max(...rows.map(({ bill }) => bill), 1e-9);
  const lines = rows.map((row) => {
    const [policy = "", ...rest] = cells(row);
    const share = (100 * row.bill) / largest;
    const shares = row.over > 0 ? [0, 0, share] : [share];
    return { cells: [policy, { shares }, ...rest] };
  });
  return `<article><h2>${escaped(title)} <small>${escaped(about)}</small></h2>
${tableHtml("counts", ["", "", ...head.slice(1)], lines)}</article>`;
}

/** Returns the result of a search of the settings, with the options to paste. Pure. */
export function tunedText({ sessions, settings, window, bill, had, refusal }: Tuned): string {
  const [chosenOn, reportedOn] = sessions;
  const lines = [`${count(chosenOn)} sessions to choose on, ${count(reportedOn)} others to report on`];
  if (settings !== undefined) lines.push(`cheapest on the first half: ${JSON.stringify(settings)}`);
  if (bill !== undefined) lines.push(`on the other half: ${interval(bill, 3)} of the bill of the defaults`);
  if (had !== undefined)
    lines.push(
      `what calls needed and was there: ${interval({ mean: 100 * had.mean, low: 100 * had.low, high: 100 * had.high }, 2)} percentage points`,
    );
  if (refusal !== undefined) return `${[...lines, `Nothing is recommended. ${refusal}`].join("\n")}\n`;
  const options = Object.entries({ contextWindow: window, ...settings }).map(
    ([name, value]) => `  ${name}: ${JSON.stringify(value)},`,
  );
  return `${[...lines, "", "compactionNode({", "  files: saver.files,", ...options, "});"].join("\n")}\n`;
}

function interval({ mean, low, high }: Interval, digits: number): string {
  return `${mean.toFixed(digits)} (95 %: ${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}
