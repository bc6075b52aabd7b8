import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { foldKwargs, type Fold } from "../folds/fold.js";
import { talk } from "../testing/index.js";
import { carriedState } from "./carried-state.js";
import { completeSummary, earlierSummary } from "./earlier-summary.js";
import { isTaskBoundary, planState } from "./plan-state.js";
import { emptySummary, renderSummary } from "./summary.js";

let calls = 0;

function step(name: string, args: Readonly<Record<string, unknown>>, answer: string): readonly BaseMessage[] {
  const id = `k${calls++}`;
  return [talk.calls(`c${id}`, { [id]: [name, args] }), talk.result(`r${id}`, id, answer)];
}

function create(id: number, subject: string): readonly BaseMessage[] {
  const args = { subject, description: `Details of ${subject}`, activeForm: `Doing ${subject}` };
  return step("TaskCreate", args, `Task #${id} created successfully: ${subject}`);
}

function update(taskId: string, change: Readonly<Record<string, unknown>>): readonly BaseMessage[] {
  return step("TaskUpdate", { taskId, ...change }, `Updated task #${taskId} status`);
}

const three = [...create(1, "lex"), ...create(2, "parse"), ...create(3, "print")];

describe("tasks that calls change one by one", () => {
  it("stand where the newest update puts them, in their order, with the ids that name them", () => {
    const work = [...update("1", { status: "completed" }), ...update("2", { status: "in_progress" })];
    expect(planState([...three, ...work])).toEqual({
      done: ["Task #1: lex"],
      inProgress: ["Task #2: parse"],
      next: ["Task #3: print"],
    });
    expect(planState([...three, ...work, ...update("1", { status: "pending" })])).toMatchObject({
      done: [],
      next: ["Task #1: lex", "Task #3: print"],
    });
  });

  it("keep their status when another field changes, and leave the list when they are deleted", () => {
    const work = [
      ...update("2", { status: "in_progress" }),
      ...update("2", { subject: "parse all", owner: "me" }),
      ...update("3", { status: "deleted" }),
    ];
    expect(planState([...three, ...work])).toEqual({
      done: [],
      inProgress: ["Task #2: parse all"],
      next: ["Task #1: lex"],
    });
  });

  it("have the ids that results tell, and count from 1 where none does", () => {
    const silent = ["lex", "parse"].flatMap((subject) => step("task_create", { subject }, "ok"));
    expect(planState(silent)?.next).toEqual(["Task #1: lex", "Task #2: parse"]);
    const more = [...create(7, "print"), ...step("TaskCreate", { subject: "ship" }, "ok")];
    expect(planState([...silent, ...more])?.next).toEqual([
      "Task #1: lex",
      "Task #2: parse",
      "Task #7: print",
      "Task #8: ship",
    ]);
  });

  it("are not changed by a call that fails or names no task", () => {
    const failed = [talk.calls("f", { f: ["TaskCreate", { subject: "gone" }] }), talk.error("g", "f", "no")];
    const ids = [{ odd: true }, "3\n## Findings", ""];
    const nameless = ids.flatMap((taskId) => step("TaskUpdate", { taskId, status: "completed" }, "ok"));
    expect(planState([...three, ...failed, ...nameless])?.next).toHaveLength(3);
    expect(planState([...three, ...failed, ...nameless])?.done).toEqual([]);
  });

  it("give way to a newer whole list", () => {
    const list = step("write_todos", { todos: [{ content: "paint", status: "pending" }] }, "ok");
    expect(planState([...three, ...list])).toEqual({ done: [], inProgress: [], next: ["paint"] });
  });

  it("are a task boundary when the newest step completes one, created in sight or not", () => {
    expect(isTaskBoundary([...three, ...update("1", { status: "completed" })])).toBe(true);
    expect(isTaskBoundary([...three, ...update("1", { status: "in_progress" })])).toBe(false);
    expect(isTaskBoundary([talk.human("h", "Go on."), ...update("9", { status: "completed" })])).toBe(true);
  });
});

function summaryMessage(content: string): BaseMessage {
  const fold: Fold = {
    id: "s",
    kind: "summary",
    path: "/context/history/0001.md",
    record: "/context/history/0001.jsonl",
    covers: [],
    tokensBefore: 9,
    tokensAfter: 1,
  };
  return new HumanMessage({ id: "s", content, additional_kwargs: foldKwargs(fold) });
}

describe("tasks in a summary", () => {
  const first = carriedState([...three, ...update("1", { status: "in_progress" })], emptySummary);
  const later = [...update("1", { status: "completed" }), ...update("3", { status: "deleted" })];

  it("go on with the next summary, which sees the updates alone", () => {
    const second = carriedState(later, { ...emptySummary, ...first });
    expect(second).toMatchObject({ done: ["Task #1: lex"], inProgress: [], nextSteps: ["Task #2: parse"] });
    expect(carriedState([], { ...emptySummary, ...second })).toMatchObject({
      done: ["Task #1: lex"],
      nextSteps: ["Task #2: parse"],
    });
  });

  it("stand once in a summary that a model completes", () => {
    const summary = { ...emptySummary, ...first };
    const messages = [summaryMessage(renderSummary(summary)), ...later];
    const extracted = { ...emptySummary, ...carriedState(later, earlierSummary(messages)) };
    const written = { ...summary, nextSteps: [...summary.nextSteps, "Ask the owner"] };
    expect(completeSummary(written, extracted, messages)).toMatchObject({
      done: ["Task #1: lex"],
      inProgress: [],
      nextSteps: ["Task #2: parse", "Ask the owner"],
    });
  });

  it("are no side effects", () => {
    expect(first.sideEffects).toEqual([]);
  });
});
