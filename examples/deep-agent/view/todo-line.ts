import { type Todo } from "../agent/todos-value.js";
import { type Colors } from "./colors.js";

/** How a todo line is drawn. */
export interface TodoLineOptions {
  /** Characters of the line at most. */
  readonly width: number;
  readonly colors: Colors;
}

/** Returns the todo list in one line: how much is done, what is being done, what comes next. Pure. */
export function todoLine(todos: readonly Todo[], { width, colors }: TodoLineOptions): string {
  const done = todos.filter((todo) => todo.status === "completed");
  const current = todos.filter((todo) => todo.status === "in_progress");
  const next = todos.filter((todo) => todo.status === "pending");
  const items = [
    ...done.slice(-1).map(({ content }) => ({ text: `✔ ${content}`, paint: colors.green })),
    ...current.map(({ content }) => ({ text: `▶ ${content}`, paint: colors.bold })),
    ...next.map(({ content }) => ({ text: `○ ${content}`, paint: colors.dim })),
  ];
  const head = `todo    ${done.length}/${todos.length}`;
  let used = head.length;
  const fitting = items.findIndex(({ text }) => (used += text.length + 2) > width);
  const shown = items.slice(0, fitting < 0 ? undefined : fitting);
  return [head, ...shown.map(({ text, paint }) => paint(text))].join("  ");
}
