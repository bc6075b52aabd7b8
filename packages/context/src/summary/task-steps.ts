import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { messageText } from "../messages/text.js";
import { isToolResult, toolCalls, type CallInfo } from "../messages/tool-calls.js";

/** A task and where it stands. */
export interface Task {
  readonly text: string;
  readonly place: "done" | "inProgress" | "next";
}

const created = /^task_?create$/i;
const updated = /^task_?update$/i;

/** True for a call that adds one task to the agent's list or changes one, as `TaskCreate` and `TaskUpdate` do. */
export function isTaskStep({ name }: CallInfo): boolean {
  return created.test(name) || updated.test(name);
}

/** Returns where a task with a status stands; undefined for one that is off the list. Pure. */
export function placeOf(status: unknown): Task["place"] | undefined {
  if (typeof status !== "string") return "next";
  if (/^(?:completed?|done|finished)$/i.test(status)) return "done";
  if (/^(?:deleted|removed|cancell?ed)$/i.test(status)) return undefined;
  return /progress|active|doing/i.test(status) ? "inProgress" : "next";
}

/**
 * Returns the tasks that calls add and change one by one, in their order: `Task #3: subject`, so that the agent can name them again.
 *
 * Pure, never throws. Continues the tasks of an `earlier` summary. The result of a call tells the id of its task; without one, the tasks
 * count from 1. A failed call changes nothing. A task that is known by its id alone is `Task #3`.
 */
export function tasksOf(messages: readonly BaseMessage[], earlier: readonly Task[] = []): readonly Task[] {
  const results = new Map(messages.filter(isToolResult).map((result) => [result.tool_call_id, result]));
  const tasks = new TaskSteps(earlier);
  for (const call of messages.flatMap((message) => toolCalls(message))) {
    const result = call.id === undefined ? undefined : results.get(call.id);
    if (result?.status === "error") continue;
    if (created.test(call.name)) tasks.create(call, result);
    else if (updated.test(call.name)) tasks.update(call);
  }
  return tasks.all;
}

/** The line of a task, as {@link tasksOf} writes it. */
const taskLine = /^Task #([\w-]+)(?:: (.*))?$/s;

/** True for the line of a task that calls change one by one. */
export function isTaskLine(line: string): boolean {
  return taskLine.test(line);
}

class TaskSteps {
  readonly #tasks = new Map<string, Task>();
  /** Highest number so far. */
  #last = 0;

  constructor(earlier: readonly Task[]) {
    for (const task of earlier) {
      const [, id, subject] = taskLine.exec(task.text) ?? [];
      if (id !== undefined) this.#set(id, subject, task.place);
    }
  }

  get all(): readonly Task[] {
    return [...this.#tasks.values()];
  }

  create({ args }: CallInfo, result: ToolMessage | undefined): void {
    const told = result === undefined ? undefined : /\btask #([\w-]+)/i.exec(messageText(result))?.[1];
    this.#set(told ?? String(this.#last + 1), subjectOf(args), placeOf(args["status"]));
  }

  update({ args }: CallInfo): void {
    const id = idOf(args);
    if (id === undefined) return;
    const known = this.#tasks.get(id);
    const subject = subjectOf(args) ?? taskLine.exec(known?.text ?? "")?.[2];
    this.#set(id, subject, args["status"] === undefined ? (known?.place ?? "next") : placeOf(args["status"]));
  }

  #set(id: string, subject: string | undefined, place: Task["place"] | undefined): void {
    if (/^\d{1,9}$/.test(id)) this.#last = Math.max(this.#last, Number(id));
    if (place === undefined) this.#tasks.delete(id);
    else this.#tasks.set(id, { text: `Task #${id}${subject === undefined ? "" : `: ${subject}`}`, place });
  }
}

function idOf(args: CallInfo["args"]): string | undefined {
  const given = args["taskId"] ?? args["task_id"] ?? args["id"];
  return /^#?([\w-]+)$/.exec(typeof given === "number" ? String(given) : textOf(given))?.[1];
}

function subjectOf(args: CallInfo["args"]): string | undefined {
  const subject = textOf(args["subject"] ?? args["title"]).trim();
  return subject === "" ? undefined : subject;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
