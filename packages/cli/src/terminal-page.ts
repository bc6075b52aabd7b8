import { styleText } from "node:util";
import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, toolCalls } from "@palimpsest/context";
import { parts, type NewestStep } from "@palimpsest/inspector";
import { oneLine, renderTable, terminalText } from "./terminal-text.js";

export interface TerminalPageOptions {
  /** Tokens of the agent's context window, where it is known. */
  readonly window: number | undefined;
  /** Columns of the terminal. */
  readonly columns: number;
  readonly hasColors: boolean;
}

type Color = Parameters<typeof styleText>[0];

const colors: Readonly<Record<(typeof parts)[number], Color>> = {
  system: "gray",
  user: "blue",
  assistant: "green",
  reasoning: "magenta",
  results: "yellow",
  previews: "yellowBright",
  summaries: "red",
  blocks: "cyan",
};
/** Folds and messages that are shown, the newest ones. */
const most = { folds: 6, messages: 10 };

/** Returns where a thread stands as text for a terminal: a gauge of the prompt, the folds in it, and its last messages. Pure. */
export function terminalPage(thread: string, step: NewestStep, options: TerminalPageOptions): string {
  const { row, context } = step;
  const head = `${terminalText(thread)}, step ${row.step ?? "–"}, ${row.at}`;
  return [head, "", ...gauge(step, options), "", folds(step), ...tail(context, options)].join("\n");
}

function gauge(
  { row: { tokens, messages } }: NewestStep,
  { window, columns, hasColors }: TerminalPageOptions,
): readonly string[] {
  const paint = (color: Color, text: string) =>
    hasColors ? styleText(color, text, { validateStream: false }) : text;
  const prompt = tokens.reduce((sum, count) => sum + count, 0);
  const width = Math.max(10, columns - 2);
  const whole = Math.max(prompt, window ?? 0, 1);
  const bars = parts.map((part, at) =>
    paint(colors[part], "█".repeat(Math.round(((tokens[at] ?? 0) / whole) * width))),
  );
  const free = "░".repeat(Math.max(0, Math.round((1 - prompt / whole) * width)));
  const share = window === undefined ? "" : ` of ${count(window)}, ${Math.round((100 * prompt) / window)} %`;
  const legend = parts.flatMap((part, at) =>
    tokens[at] === 0 ? [] : [`${paint(colors[part], "█")} ${part} ${count(tokens[at] ?? 0)}`],
  );
  return [
    `${bars.join("")}${free}`,
    `${count(prompt)} tokens${share}, in ${count(messages)} messages`,
    legend.join("  "),
  ];
}

function folds({ row }: NewestStep): string {
  if (row.folds.length === 0) return "Nothing is folded.\n";
  const left = Math.max(0, row.folds.length - most.folds);
  const rows = row.folds
    .slice(left)
    .map(({ kind, reason, messages, before, after, path }) => [kind, reason, messages, before, after, path]);
  const table = renderTable(["fold", "reason", "messages", "before", "after", "original"], rows);
  return left === 0 ? table : `${table}and ${count(left)} earlier ones\n`;
}

function tail(
  context: readonly BaseMessage[],
  { columns }: Pick<TerminalPageOptions, "columns">,
): readonly string[] {
  return context.slice(-most.messages).map((message) => {
    const type = foldOf(message)?.kind ?? message.name ?? message.getType();
    const calls = toolCalls(message).map(({ name, args }) => `→ ${name} ${JSON.stringify(args)}`);
    const name = oneLine(type, 14).padEnd(14);
    return `${name}  ${oneLine([message.text, ...calls].join(" "), Math.max(20, columns - 18))}`;
  });
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
