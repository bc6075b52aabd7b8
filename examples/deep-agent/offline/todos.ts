import { notePath } from "./collect.js";
import { type Request, type Subject } from "./request.js";
import { type Call, type Thread, argument, exchangesOf } from "./thread.js";

const reportTodo = "Write /report.md";

/** Returns the call that writes the todo list: what is done, what is being done, what is left. */
export function writeTodos(
  request: Request,
  done: ReadonlySet<string>,
  current?: Subject | "report" | "nothing",
): Call {
  const todos = request.subjects.map(({ name }) => ({
    content: name,
    status: done.has(name)
      ? "completed"
      : typeof current === "object" && current.name === name
        ? "in_progress"
        : "pending",
  }));
  const status = current === "report" ? "in_progress" : current === "nothing" ? "completed" : "pending";
  return { name: "write_todos", args: { todos: [...todos, { content: reportTodo, status }] } };
}

/**
 * Returns the packages whose note is written as far as the thread shows it: by the last todo list or the last listing of
 * /notes in view, and the notes written since. Undefined when neither is in view.
 */
export function donePackages(thread: Thread, request: Request): Set<string> | undefined {
  let done: Set<string> | undefined;
  for (const exchange of exchangesOf(thread)) {
    if (exchange.tool === "write_todos") {
      const todos = readTodos(exchange.args["todos"]);
      if (todos !== undefined) done = new Set(todos);
    }
    if (exchange.tool === "ls" && argument(exchange, "path").startsWith("/notes"))
      done = new Set(namesWithNote(request, exchange.result));
    if (exchange.tool === "write_file" && done !== undefined)
      for (const name of namesWithNote(request, argument(exchange, "path"))) done.add(name);
  }
  return done;
}

function readTodos(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const todos = value as { content?: unknown; status?: unknown }[];
  return todos.flatMap(({ content, status }) =>
    status === "completed" && typeof content === "string" ? [content] : [],
  );
}

function namesWithNote({ subjects }: Request, text: string): string[] {
  return subjects.map((each) => each.name).filter((name) => text.includes(baseName(name)));
}

/** File name of the note with the slash before it, so that `zod.md` is not found in `my-zod.md`. */
function baseName(name: string): string {
  return notePath(name).slice("/notes".length);
}
