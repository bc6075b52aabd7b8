import type { Prices } from "@palimpsest/context";
import { count } from "../../terminal-text.js";
import { kindName, type AuditItem } from "./audit-items.js";
import type { AuditedCompaction, SessionAudit } from "./audit-session.js";
import { countsOf } from "./audit-text.js";
import { priceOf, savingOf } from "./compaction-cost.js";
import { overviewOf } from "./overview.js";
import { escaped, reportPage, tableHtml, type Cell } from "../report-page.js";

export type PricesOf = (model: string) => Prices | undefined;

/** Returns audits as one page that loads nothing and runs no script. Text of a session is text. Pure. */
export function auditHtml(audits: readonly SessionAudit[], pricesOf: PricesOf): string {
  const title =
    audits.length === 1 ? `Audit of ${audits[0]?.session ?? ""}` : `Audit of ${audits.length} sessions`;
  return reportPage(
    title,
    `<p class="lead">What each compaction left in sight of the model, and what it did not. <b>Lost</b>: the prompt after it does not hold
it. <b>Recoverable</b>: the summary names the file in which it stands. The file of the session still holds everything, on the
line that is named.</p>
${audits.length === 1 ? "" : overviewHtml(audits)}
${audits.map((audit, at) => sessionHtml(audit, { pricesOf, isAlone: audits.length === 1, id: idOf(at) })).join("\n")}`,
  );
}

function idOf(at: number): string {
  return `session-${at + 1}`;
}

function overviewHtml(audits: readonly SessionAudit[]): string {
  const rows = overviewOf(audits).map((row) => {
    const { at, name, compactions, inSight, recoverable, lost, needed, reworked } = row;
    const all = Math.max(1, inSight + recoverable + lost);
    const shares = [inSight, recoverable, lost].map((part) => (100 * part) / all);
    const link = { to: idOf(at), label: name };
    return { cells: [link, { shares }, compactions, inSight, recoverable, lost, needed, reworked] };
  });
  const head = [
    "",
    "",
    "compactions",
    "in sight",
    "recoverable",
    "lost",
    "needed again",
    "tokens read again",
  ];
  return tableHtml("counts", head, rows);
}

interface Shown {
  readonly pricesOf: PricesOf;
  /** The title of the page names the session already. */
  readonly isAlone: boolean;
  /** The id of its section. */
  readonly id: string;
}

function sessionHtml(audit: SessionAudit, { pricesOf, isAlone, id }: Shown): string {
  const { session, format, facts, records, messages, broken, unknown, compactions, bytes } = audit;
  const about = [
    `${format}${facts.version === undefined ? "" : ` ${facts.version}`}`,
    `${count(records)} records`,
    `${count(messages)} messages`,
    `${count(bytes)} bytes`,
    ...(unknown === 0 ? [] : [`${count(unknown)} unknown records`]),
    ...(facts.directory === undefined ? [] : [facts.directory]),
  ];
  const damage = broken.map((line) => `<li>${escaped(line)}</li>`).join("");
  const none = "<p>Nothing was compacted: the model was sent every message.</p>";
  const name = facts.title ?? session;
  return `<section id="${id}">
<h2>${isAlone && name === session ? "Its compactions" : escaped(name)}</h2>
<p class="about">${about.map(escaped).join(" · ")}</p>
${damage === "" ? "" : `<p>Lines that could not be read:</p><ul>${damage}</ul>`}
${compactions.length === 0 ? none : compactions.map((one, at) => compactionHtml(one, at + 1, pricesOf)).join("\n")}
</section>`;
}

function compactionHtml(compaction: AuditedCompaction, at: number, pricesOf: PricesOf): string {
  const { line, agent, trigger, folded, kept, items, rework, summary, cost } = compaction;
  const whose = [`line ${line}`, trigger, agent === "" ? undefined : `subagent ${agent}`].filter(
    (part) => part !== undefined,
  );
  const gone = items.filter(({ fate }) => fate !== "in sight");
  const seen = items.filter(({ fate }) => fate === "in sight");
  return `<article>
<h3>Compaction ${at} <small>${escaped(whose.join(" · "))}</small></h3>
<p>${count(folded)} messages became a summary, ${count(kept)} stayed. ${count(cost.before)} → ${count(cost.after)} tokens${cost.isReported ? "" : " (estimated)"}.</p>
${countsHtml(items)}
<h4>Out of sight, worst first</h4>
${gone.length === 0 ? "<p>Nothing that must not be lost.</p>" : itemsHtml(gone.slice(0, 40))}
${gone.length > 40 ? `<details><summary>${count(gone.length - 40)} more</summary>${itemsHtml(gone.slice(40))}</details>` : ""}
<h4>Worked again</h4>
${rework.length === 0 ? "<p>Nothing.</p>" : reworkHtml(rework)}
<h4>Cost</h4>
<p>${costHtml(cost, pricesOf)}</p>
<details><summary>The summary that the model read</summary><pre>${escaped(summary)}</pre></details>
<details><summary>${count(seen.length)} things in sight</summary>${itemsHtml(seen)}</details>
</article>`;
}

function costHtml(cost: AuditedCompaction["cost"], pricesOf: PricesOf): string {
  const { before, summary, rewritten, rework, calls, model } = cost;
  const tokens = `A prompt of ${count(before)} tokens for a summary of ${count(summary)}; ${count(rewritten)} written to the cache again; ${count(rework)} fetched again; ${count(calls)} calls followed.`;
  const prices = model === undefined ? undefined : pricesOf(model);
  if (prices === undefined) return tokens;
  return `${tokens} Paid ${priceOf(cost, prices).toFixed(4)}, saved ${savingOf(cost, prices).toFixed(4)}.`;
}

function countsHtml(items: readonly AuditItem[]): string {
  const rows = countsOf(items).map(({ kind, all, inSight, recoverable, lost, needed }) => {
    const shares = [inSight, recoverable, lost].map((part) => (100 * part) / all);
    return { cells: [kind, { shares }, inSight, recoverable, lost, needed === 0 ? "" : needed] };
  });
  return tableHtml("counts", ["", "", "in sight", "recoverable", "lost", "needed again"], rows);
}

function itemsHtml(items: readonly AuditItem[]): string {
  const rows = items.map(({ kind, text, fate, line, neededAt }) => ({
    className: fate.replace(" ", "-"),
    cells: [fate, kindName[kind], line ?? "", neededAt ?? "", { text }] satisfies readonly Cell[],
  }));
  return tableHtml("items", ["", "", "from line", "needed again", ""], rows);
}

function reworkHtml(rework: AuditedCompaction["rework"]): string {
  const rows = rework.map(({ call, line, again, tokens }) => ({
    cells: [{ text: call }, line ?? "", again ?? "", tokens] satisfies readonly Cell[],
  }));
  return tableHtml("items", ["", "first on line", "again on line", "tokens"], rows);
}
