import type { Table } from "../suite.js";
import { ways } from "./contexts.js";
import type { Held, MeasuredCompaction } from "./measure-compaction.js";
import { lookedAt } from "./rework.js";
import type { SetRows } from "./set-rows.js";
import { percent } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";
import { shareOf, sumOf } from "../metrics/sum-of.js";

/** Area under the curve that is required of the held-out half. */
export const leastAuc = 0.75;

const sizes = { recorded: "of the recorded summary", default: "default" } as const;

export function reworkTable(measured: readonly MeasuredCompaction[]): Table {
  return tableOf(measured, {
    title: "What the agent did again after each recorded compaction",
    columns: [
      ["runs", ({ set }) => set],
      ["session", ({ half, session }) => `${half}: ${session}`],
      ["compaction", ({ number }) => number],
      ["calls to the first edit", ({ rework }) => rework.toFirstEdit ?? "none"],
      ["calls that look", ({ rework }) => `${rework.looking} of ${rework.calls}`],
      ["made again", ({ rework }) => rework.again],
      ["of them searches", ({ rework }) => rework.searches],
      ["files read again", ({ rework }) => rework.files],
      ["questions asked again", ({ rework }) => rework.questions],
      ["tokens received again", ({ rework }) => Math.round(rework.tokens)],
      [
        "in the summary: strings used later",
        (one) => partOf(at(one, ways.recorded, "recorded")?.strings, one.strings),
      ],
      ["in ours: strings used later", (one) => partOf(at(one, ways.ours, "recorded")?.strings, one.strings)],
      [
        "in ours at default: tokens received again",
        (one) => partOf(at(one, ways.ours, "default")?.receivedAgain, one.rework.tokens),
      ],
    ],
    note:
      `The first ${lookedAt} calls after a compaction. Made again: a call that reads or searches, of whose result at least half ` +
      "stood in the thread before the compaction, line by line. Received again: those lines, of 20 characters and more, once. The " +
      "agent had more than its summary: the harness attaches files again, which the sessions do not record. An agent also reads a " +
      "file again because its editor asks for it.",
  });
}

function at({ held }: MeasuredCompaction, way: string, size: Held["size"]): Held | undefined {
  return held.find((own) => own.way === way && own.size === size);
}

export function waysTable(sets: readonly SetRows[]): Table {
  const rows = sets.flatMap((one) => [
    ...one.rows.map(({ tokens, strings, ...row }) => ({
      set: one.set,
      ...row,
      tokens: Math.round(tokens),
      strings: percent(strings),
    })),
    { set: one.set, ...searchRow(one.measured) },
  ]);
  return tableOf(rows, {
    title: "What each context would have held of it",
    columns: [
      ["runs", ({ set }) => set],
      ["size", ({ size }) => sizes[size]],
      ["context", ({ way }) => way],
      ["tokens", ({ tokens }) => tokens],
      ["strings used later", ({ strings }) => strings],
      ["tokens received again", ({ receivedAgain }) => percent(receivedAgain)],
      ["calls made needless", ({ calls }) => percent(calls)],
    ],
    note:
      "Tokens of four characters. Needless: nine tenths of what the call brought again stand in the context, line by line. Ours is " +
      "the real node, compacted once at this moment, with an extracted summary; default: in a window of 200,000 tokens. Recency " +
      "and random lines have as many tokens as ours. The search asks with what the agent said as it made the call.",
  });
}

/** Ours at default together with what one search answers to each call made again. */
function searchRow(measured: readonly MeasuredCompaction[]) {
  const calls = sumOf(measured, ({ rework }) => rework.again);
  const asked = (field: keyof MeasuredCompaction["asked"]) => sumOf(measured, (one) => one.asked[field]);
  return {
    size: "default" as const,
    way: `${ways.ours} and one search`,
    tokens: `${Math.round(asked("answerTokens") / Math.max(1, calls))} an answer`,
    strings: "-",
    receivedAgain: shareOf(
      asked("receivedAgain"),
      sumOf(measured, ({ rework }) => rework.tokens),
    ),
    calls: shareOf(asked("calls"), calls),
  };
}

export function predictionTable(sets: readonly SetRows[]): Table {
  const predictions = sets.flatMap(({ set, predictions: own }) => own.map((one) => ({ set, ...one })));
  return tableOf(predictions, {
    title: "Rework foretold from what is missing at the compaction",
    columns: [
      ["runs", ({ set }) => set],
      ["half of the sessions", ({ half }) => half],
      ["by", ({ by }) => by],
      ["cases", ({ found }) => found?.cases ?? 0],
      ["come", ({ found }) => found?.came ?? 0],
      ["AUC", ({ found }) => found?.auc.toFixed(3) ?? "-"],
      [
        "95 %",
        ({ found }) => (found === undefined ? "-" : `${found.low.toFixed(2)} to ${found.high.toFixed(2)}`),
      ],
      ["permuted, 95 % below", ({ found }) => found?.permuted.toFixed(3) ?? "-"],
    ],
    note:
      "A case is a file that the agent had read or edited: the tokens of it that the recorded summary lacks, how often the summary " +
      "names it, and calls since it was touched. Nothing that came later is looked at. The weights are fixed: they were fitted on " +
      `the first half of claude-code-raw. Required: ${leastAuc} and more than permuted on the second half of each set that is large ` +
      "enough. Intervals draw whole sessions again; permuted deals what was read again anew within each compaction.",
  });
}

function partOf(value: number | undefined, whole: number): string {
  return whole === 0 ? "-" : percent((value ?? 0) / whole);
}
