import type { Prices } from "@palimpsest/context";
import { count, oneLine, renderTable } from "../../terminal-text.js";
import { itemKinds, kindName, kindNames, type AuditItem } from "./audit-items.js";
import type { AuditedCompaction, SessionAudit } from "./audit-session.js";
import { priceOf, savingOf } from "./compaction-cost.js";
import { overviewOf } from "./overview.js";

export interface AuditTextOptions {
  readonly pricesOf: (model: string) => Prices | undefined;
  /** Losses that are listed for each compaction. */
  readonly most: number;
}

/** Returns audits for the terminal: of several, the sessions with the worst losses first. Pure. */
export function auditsText(audits: readonly SessionAudit[], options: AuditTextOptions): string {
  const texts = audits.map((audit) => auditText(audit, options));
  if (audits.length === 1) return texts.join("");
  const rows = overviewOf(audits).map((row) => [
    oneLine(row.name, 60),
    row.compactions,
    row.inSight,
    row.recoverable,
    row.lost,
    row.needed,
    row.reworked,
  ]);
  const head = [
    "session",
    "compactions",
    "in sight",
    "recoverable",
    "lost",
    "needed again",
    "tokens read again",
  ];
  return [renderTable(head, rows), ...texts].join("\n\n");
}

function auditText(audit: SessionAudit, options: AuditTextOptions): string {
  const { session, format, facts, records, messages, unknown, broken, compactions } = audit;
  const version = facts.version === undefined ? "" : ` ${oneLine(facts.version, 40)}`;
  const head = `${oneLine(session, 80)}: ${format}${version}, ${count(records)} records, ${count(messages)} messages, ${counted(compactions.length, "compaction")}`;
  const damage = [
    ...(unknown === 0 ? [] : [`${counted(unknown, "record")} of a kind that is not known`]),
    ...broken.slice(0, 5).map((line) => oneLine(line, 200)),
    ...(broken.length > 5 ? [`and ${broken.length - 5} more lines that cannot be read`] : []),
  ];
  const parts = compactions.map((one, at) => compactionText(one, at + 1, options));
  const none = compactions.length === 0 ? ["Nothing was compacted: the model was sent every message."] : [];
  return `${[head, ...damage, ...none, ...parts].join("\n\n")}\n`;
}

function compactionText(compaction: AuditedCompaction, at: number, options: AuditTextOptions): string {
  const { line, agent, trigger, folded, kept, items, rework } = compaction;
  const whose = agent === "" ? "" : `, subagent ${oneLine(agent, 30)}`;
  const why = trigger === undefined ? "" : `, ${oneLine(trigger, 20)}`;
  const title = `Compaction ${at}, line ${line}${why}${whose}: ${counted(folded, "message")} became a summary, ${count(kept)} stayed`;
  return [
    title,
    countsTable(items),
    costText(compaction, options),
    ...lossText(items, options),
    ...reworkText(rework, options),
  ].join("\n");
}

/** Returns the counts of each kind that occurs. */
export function countsOf(items: readonly AuditItem[]) {
  return itemKinds.flatMap((kind) => {
    const some = items.filter((item) => item.kind === kind);
    const of = (fate: AuditItem["fate"]): number => some.filter((item) => item.fate === fate).length;
    if (some.length === 0) return [];
    const needed = some.filter(({ neededAt }) => neededAt !== undefined).length;
    return [
      {
        kind: kindNames[kind],
        all: some.length,
        inSight: of("in sight"),
        recoverable: of("recoverable"),
        lost: of("lost"),
        needed,
      },
    ];
  });
}

function countsTable(items: readonly AuditItem[]): string {
  const rows = countsOf(items).map(({ kind, all, inSight, recoverable, lost, needed }) => [
    kind,
    all,
    inSight,
    recoverable,
    lost,
    needed,
  ]);
  return renderTable(["what", "all", "in sight", "recoverable", "lost", "needed again"], rows).trimEnd();
}

function costText({ cost }: AuditedCompaction, { pricesOf }: AuditTextOptions): string {
  const { before, after, summary, rewritten, rework, calls, model } = cost;
  const tokens = `cost: a prompt of ${count(before)} tokens for a summary of ${count(summary)}, ${count(rewritten)} written to the cache again, ${count(rework)} fetched again; the next prompt had ${count(after)}, ${counted(calls, "call")} followed`;
  const prices = model === undefined ? undefined : pricesOf(model);
  if (prices === undefined) return tokens;
  return `${tokens}; ${priceOf(cost, prices).toFixed(4)} paid, ${savingOf(cost, prices).toFixed(4)} saved`;
}

function lossText(items: readonly AuditItem[], { most }: AuditTextOptions): readonly string[] {
  const gone = items.filter(({ fate }) => fate !== "in sight");
  if (gone.length === 0) return ["Nothing that must not be lost is out of sight."];
  const rows = gone
    .slice(0, most)
    .map(({ kind, text, fate, line, neededAt }) => [
      fate,
      kindName[kind],
      line === undefined ? "" : `line ${line}`,
      neededAt === undefined ? "" : `line ${neededAt}`,
      oneLine(text, 90),
    ]);
  const table = renderTable(["fate", "what", "from", "needed again", "text"], rows).trimEnd();
  return [
    "",
    table,
    ...(gone.length > most
      ? [`and ${count(gone.length - most)} more; --most ${gone.length} lists them all`]
      : []),
  ];
}

function reworkText(
  rework: readonly {
    readonly call: string;
    readonly line: number | undefined;
    readonly again: number | undefined;
    readonly tokens: number;
  }[],
  { most }: AuditTextOptions,
): readonly string[] {
  if (rework.length === 0) return ["Nothing was worked again."];
  const rows = rework
    .slice(0, most)
    .map(({ call, line, again, tokens }) => [
      oneLine(call, 80),
      `line ${line ?? "?"}`,
      `line ${again ?? "?"}`,
      tokens,
    ]);
  return ["", renderTable(["worked again", "first", "again", "tokens"], rows).trimEnd()];
}

function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}
