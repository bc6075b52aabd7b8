import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, toolCalls } from "@palimpsest/context";
import { parts, type NewestStep } from "@palimpsest/inspector";
import { painted } from "./palette.js";
import { count, counted, oneLine, renderTable, terminalText } from "../terminal-text.js";

export interface TerminalPageOptions {
  /** Tokens of the agent's context window, if known. */
  readonly window: number | undefined;
  /** Columns of the terminal. */
  readonly columns: number;
  /** Lines of the terminal. */
  readonly rows: number;
  readonly hasColors: boolean;
}

/** In place of the colors where there are none. */
const patterns = ["█", "▚", "▒", "▞", "▓", "▤", "▥", "▦"];
/** Maximum numbers of folds and messages that are shown, newest first. */
const most = { folds: 6, messages: 10 };

/**
 * Returns the current state of a thread as text for a terminal: a gauge of the prompt, its folds, and the last messages. Pure.
 */
export function terminalPage(thread: string, step: NewestStep, options: TerminalPageOptions): string {
  const { row, context } = step;
  const what = row.calls.length > 0 ? "newest call, " : "";
  const head = `${terminalText(thread)}, ${what}step ${row.step ?? "–"}, ${row.at}`;
  const above = [head, "", ...gauge(step, options), "", ...folds(step, options), ""];
  const messages = Math.max(1, Math.min(most.messages, options.rows - above.length));
  return [...above, ...tail(context.slice(-messages), options)].join("\n");
}

function gauge({ row }: NewestStep, { window, columns, hasColors }: TerminalPageOptions): readonly string[] {
  const paint = (part: (typeof parts)[number], text: string) => (hasColors ? painted(part, text) : text);
  const call = row.calls.at(-1);
  const { tokens, sent: messages } = call ?? { tokens: row.tokens, sent: row.messages };
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
    return paint(part, block(at).repeat(end - start));
  });
  const free = "░".repeat(width - end);
  const share = window === undefined ? "" : ` of ${count(window)}, ${Math.round((100 * prompt) / window)} %`;
  const legend = parts.flatMap((part, at) =>
    tokens[at] === 0 ? [] : [`${paint(part, block(at))} ${part} ${count(tokens[at] ?? 0)}`],
  );
  return [
    `${bars.join("")}${free}`,
    `${count(prompt)} tokens${share}, in ${counted(messages, "message")}`,
    legend.join("  "),
  ];
}

function folds({ row }: NewestStep, { columns }: Pick<TerminalPageOptions, "columns">): readonly string[] {
  if (row.folds.length === 0) return ["Nothing is folded."];
  const left = Math.max(0, row.folds.length - most.folds);
  const rows = row.folds
    .slice(left)
    .map(({ kind, reason, messages, before, after, path }) => [kind, reason, messages, before, after, path]);
  const table = renderTable(["fold", "reason", "messages", "before", "after", "original"], rows, {
    columns,
  });
  return [
    ...table.trimEnd().split("\n"),
    ...(left === 0 ? [] : [`and ${count(left)} earlier ${left === 1 ? "one" : "ones"}`]),
  ];
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
