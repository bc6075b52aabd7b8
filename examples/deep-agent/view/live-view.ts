import { createLogUpdate } from "log-update";
import { type Todo } from "../agent/todos-value.js";
import { type PromptParts } from "../count-prompt.js";
import { type DemoEvent } from "../events.js";
import { contextLine } from "./event-lines.js";
import { clip, short } from "./format.js";
import { gauge } from "./gauge.js";
import { replyLine } from "./reply-line.js";
import { todoLine } from "./todo-line.js";
import { type View, type ViewOptions } from "./view.js";

/** Milliseconds between two drawings of the lower part: faster only flickers. */
const pause = 50;

/** Returns a view for a terminal: folds scroll by, and below them the gauge, the todo list and what the agent does. */
export function liveView({ stream, colors, window, mainThread }: ViewOptions): View {
  const draw = createLogUpdate(stream);
  let parts: PromptParts | undefined;
  let todos: readonly Todo[] = [];
  const now = { text: "", steps: 0, subagentSteps: 0, tokens: 0, folds: 0 };
  let drawn = 0;
  let isEnded = false;

  function redraw(): void {
    const columns = stream.columns ?? 80;
    const bar = Math.max(10, Math.min(50, columns - 40));
    const counts = `call ${now.steps} + ${now.subagentSteps} of subagents, ${short(now.tokens)} tokens read, ${now.folds} folds`;
    draw(
      [
        "",
        ...(parts === undefined ? [] : gauge(parts, { window, width: bar, colors })),
        ...(todos.length === 0 ? [] : [todoLine(todos, { width: columns, colors })]),
        `now     ${clip(now.text, columns - 10)}`,
        colors.dim(`        ${counts}`),
      ].join("\n"),
    );
    drawn = performance.now();
  }

  function above(lines: readonly string[]): void {
    if (!isEnded) draw.clear();
    for (const line of lines) stream.write(`${line}\n`);
    if (!isEnded) redraw();
  }

  function take(event: DemoEvent): void {
    const isMain = "threadId" in event && event.threadId === mainThread;
    if (event.type === "prompt") {
      if (isMain) parts = event.parts;
      if (isMain) now.steps = event.step;
      else now.subagentSteps += 1;
    } else if (event.type === "reply") {
      now.text = `${isMain ? "" : "subagent: "}${replyLine(event.text, event.tools)}`;
    } else if (event.type === "result") now.tokens += event.tokens;
    else if (event.type === "todos") todos = event.todos;
    else if (event.type === "phase") now.text = event.text;
  }

  return {
    colors,
    watch(event) {
      take(event);
      if (event.type === "context") {
        if (event.event.type === "context.fold") now.folds += 1;
        const line = contextLine(event.event, colors);
        if (line !== undefined) above([line]);
      } else if (performance.now() - drawn > pause) redraw();
    },
    print: above,
    end() {
      redraw();
      draw.done();
      isEnded = true;
    },
  };
}
