import { styleText } from "node:util";
import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, toolCalls } from "@palimpsest/context";
import { parts, type NewestStep } from "@palimpsest/inspector";
import { count, oneLine, renderTable, terminalText } from "./terminal-text.js";

export interface TerminalPageOptions {
  /** Tokens of the agent's context window, if known. */
  readonly window: number | undefined;
  /** Columns of the terminal. */
  readonly columns: number;
  /** Lines of the terminal. */
  readonly rows: number;
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
/** In place of the colors where there are none. */
const patterns = ["█", "▚", "▒", "▞", "▓", "▤", "▥", "▦"];
/** Maximum numbers of folds and messages that are shown, newest first. */
const most = { folds: 6, messages: 10 };

/**
 * Returns the current state of a thread as text for a terminal: a gauge of the prompt, its folds, and the last messages. Pure.
 */
export function terminalPage(thread: string, step: NewestStep, options: TerminalPageOptions): string {
  const { row, context } = step;
  const head = `${terminalText(thread)}, step ${row.step ?? "–"}, ${row.at}`;
  const above = [head, "", ...gauge(step, options), "", ...folds(step), ""];
  const messages = Math.max(1, Math.min(most.messages, options.rows - above.length));
  return [...above, ...tail(context.slice(-messages), options)].join("\n");
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
  const block = (at: number): string => (hasColors ? "█" : (patterns[at] ?? "█"));
  // Start where the part before ends, so that rounding makes no gauge wider than the terminal.
  let [end, sum] = [0, 0];
  const bars = parts.map((part, at) => {
    const start = end;
    sum += tokens[at] ?? 0;
    end = Math.round((sum / whole) * width);
    return paint(colors[part], block(at).repeat(end - start));
  });
  const free = "░".repeat(width - end);
  const share = window === undefined ? "" : ` of ${count(window)}, ${Math.round((100 * prompt) / window)} %`;
  const legend = parts.flatMap((part, at) =>
    tokens[at] === 0 ? [] : [`${paint(colors[part], block(at))} ${part} ${count(tokens[at] ?? 0)}`],
  );
  return [
    `${bars.join("")}${free}`,
    `${count(prompt)} tokens${share}, in ${count(messages)} messages`,
    legend.join("  "),
  ];
}

function folds({ row }: NewestStep): readonly string[] {
  if (row.folds.length === 0) return ["Nothing is folded."];
  const left = Math.max(0, row.folds.length - most.folds);
  const rows = row.folds
    .slice(left)
    .map(({ kind, reason, messages, before, after, path }) => [kind, reason, messages, before, after, path]);
  const table = renderTable(["fold", "reason", "messages", "before", "after", "original"], rows);
  return [...table.trimEnd().split("\n"), ...(left === 0 ? [] : [`and ${count(left)} earlier ones`])];
}

function tail(
  context: readonly BaseMessage[],
  { columns }: Pick<TerminalPageOptions, "columns">,
): readonly string[] {
  return context.map((message) => {
    const type = foldOf(message)?.kind ?? message.name ?? message.getType();
    const calls = toolCalls(message).map(({ name, args }) => `→ ${name} ${JSON.stringify(args)}`);
    const name = oneLine(type, 14).padEnd(14);
    return `${name}  ${oneLine([message.text, ...calls].join(" "), Math.max(20, columns - 18))}`;
  });
}
