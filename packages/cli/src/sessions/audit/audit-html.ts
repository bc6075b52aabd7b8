import type { Prices } from "@palimpsest/context";
import { count } from "../../terminal-text.js";
import { kindNames, type AuditItem } from "./audit-items.js";
import type { AuditedCompaction, SessionAudit } from "./audit-session.js";
import { countsOf } from "./audit-text.js";
import { priceOf, savingOf } from "./compaction-cost.js";
import { auditStyle } from "./audit-style.js";

export type PricesOf = (model: string) => Prices | undefined;

/** Returns audits as one page that loads nothing and runs no script. Text of a session is text. Pure. */
export function auditHtml(audits: readonly SessionAudit[], pricesOf: PricesOf): string {
  const title =
    audits.length === 1 ? `Audit of ${audits[0]?.session ?? ""}` : `Audit of ${audits.length} sessions`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${auditStyle}</style>
<main>
<h1>${escaped(title)}</h1>
<p class="lead">What each compaction left in sight of the model, and what it did not. <b>Lost</b>: the prompt after it does not hold
it. <b>Recoverable</b>: the summary names the file in which it stands. The file of the session still holds everything, on the
line that is named.</p>
${audits.map((audit) => sessionHtml(audit, pricesOf)).join("\n")}
</main>
</html>
`;
}

function sessionHtml(audit: SessionAudit, pricesOf: PricesOf): string {
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
  return `<section>
<h2>${escaped(facts.title ?? session)}</h2>
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
    const bar = [inSight, recoverable, lost].map(
      (part, at) => `<i class="f${at}" style="width:${((100 * part) / all).toFixed(1)}%"></i>`,
    );
    return `<tr><th>${escaped(kind)}</th><td class="bar">${bar.join("")}</td><td>${inSight}</td><td>${recoverable}</td><td>${lost}</td><td>${needed === 0 ? "" : needed}</td></tr>`;
  });
  return `<table class="counts"><thead><tr><th></th><th></th><th>in sight</th><th>recoverable</th><th>lost</th><th>needed again</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function itemsHtml(items: readonly AuditItem[]): string {
  const rows = items.map(
    ({ kind, text, fate, line, neededAt }) =>
      `<tr class="${fate.replace(" ", "-")}"><td>${fate}</td><td>${escaped(kindNames[kind])}</td><td>${line ?? ""}</td><td>${neededAt ?? ""}</td><td class="text">${escaped(text)}</td></tr>`,
  );
  return `<table class="items"><thead><tr><th>fate</th><th>what</th><th>from line</th><th>needed again</th><th>text</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function reworkHtml(rework: AuditedCompaction["rework"]): string {
  const rows = rework.map(
    ({ call, line, again, tokens }) =>
      `<tr><td class="text">${escaped(call)}</td><td>${line ?? ""}</td><td>${again ?? ""}</td><td>${count(tokens)}</td></tr>`,
  );
  return `<table class="items"><thead><tr><th>call</th><th>first on line</th><th>again on line</th><th>tokens</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Returns text that no browser takes for markup, without characters that reorder it. */
export function escaped(text: string): string {
  return text
    .replace(
      /[^\t\n\P{Cc}]|\p{Bidi_Control}/gu,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    )
    .replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
