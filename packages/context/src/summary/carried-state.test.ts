import { describe, expect, it } from "vitest";
import { talk } from "../testing/index.js";
import { carriedState, fileLedger, sideEffects } from "./carried-state.js";
import { newestThatFit } from "./newest-that-fit.js";
import { openErrors, unfinishedCalls } from "./open-calls.js";
import { planState } from "./plan-state.js";
import { emptySummary } from "./summary.js";

describe("the file ledger", () => {
  it("the file ledger continues the versions of an earlier summary, and ignores failed calls", () => {
    const first = [
      talk.calls("c1", { a: ["read_file", { path: "a.ts" }], b: ["write_file", { file_path: "b.ts" }] }),
      talk.result("r1", "a", "x"),
      talk.result("r2", "b", "ok"),
      talk.calls("c2", { c: ["edit_file", { path: "a.ts" }], d: ["write_file", { path: "c.ts" }] }),
      talk.result("r3", "c", "ok"),
      talk.error("r4", "d", "denied"),
    ];
    const once = fileLedger(first);
    expect(once).toEqual(["b.ts (written, version 1)", "a.ts (read; written, version 1)"]);
    const more = [talk.calls("c3", { e: ["edit_file", { path: "b.ts" }] }), talk.result("r5", "e", "ok")];
    expect(fileLedger(more, once)).toEqual(["a.ts (read; written, version 1)", "b.ts (written, version 2)"]);
    expect(fileLedger(more, once, 1)).toEqual(["b.ts (written, version 2)"]);
  });
});

describe("the plan", () => {
  it("the plan is the newest list of tasks, whichever tool wrote it", () => {
    const older = talk.calls("c1", { a: ["write_todos", { todos: [{ content: "x", status: "pending" }] }] });
    const newer = talk.calls("c2", {
      b: [
        "update_plan",
        { plan: [{ step: "lex", status: "completed" }, { step: "parse", status: "in_progress" }, "test"] },
      ],
    });
    expect(planState([older, newer])).toEqual({ done: ["lex"], inProgress: ["parse"], next: ["test"] });
    expect(planState([talk.ai("a", "no plan")])).toBeUndefined();
    const dropped = { todos: [{ content: "x", status: "cancelled" }] };
    expect(planState([older, talk.calls("c3", { c: ["todowrite", dropped] })])?.next).toEqual([]);
  });
});

describe("errors and open calls", () => {
  const failing = [
    talk.calls("c1", { a: ["run_tests", { path: "t.ts" }] }),
    talk.error("r1", "a", "2 of 9\nfailed"),
  ];

  it("the last error stays open until the same call succeeds, even across a summary", () => {
    const error = "Last error, from run_tests: “2 of 9 failed”";
    expect(openErrors(failing)).toEqual([error]);
    const again = [talk.calls("c2", { b: ["run_tests", { path: "t.ts" }] }), talk.result("r2", "b", "ok")];
    expect(openErrors([...failing, ...again])).toEqual([]);
    expect(openErrors([talk.ai("e", "on")], ["a question?", error])).toEqual([error]);
    expect(openErrors(again, [error])).toEqual([]);
  });

  it("unfinishedCalls lists the calls without a result", () => {
    const messages = [...failing, talk.calls("c2", { b: ["deploy", { to: "prod" }] })];
    expect(unfinishedCalls(messages)).toEqual(['Called, no result yet: deploy {"to":"prod"}']);
  });
});

describe("side effects", () => {
  it("side effects are the successful calls that change something other than files", () => {
    const messages = [
      talk.calls("c1", {
        a: ["send_email", { to: "x@y.z" }],
        b: ["write_file", { path: "a.ts" }],
        c: ["get_user", { id: 1 }],
        d: ["cancelBooking", { id: 7 }],
      }),
      talk.result("r1", "a", "sent"),
      talk.result("r2", "b", "ok"),
      talk.result("r3", "c", "{}"),
      talk.error("r4", "d", "no such booking"),
    ];
    expect(sideEffects(messages)).toEqual(['send_email {"to":"x@y.z"}']);
  });
});

describe("the carried state", () => {
  const earlier = {
    ...emptySummary,
    done: ["lex"],
    inProgress: ["parse", "Called, no result yet: ls {}"],
    nextSteps: ["test"],
    index: ["lexer: /context/history/0001-a.md"],
  };

  it("the carried state repeats the earlier summary when the messages add nothing", () => {
    expect(carriedState([], earlier)).toMatchObject({
      done: ["lex"],
      inProgress: ["parse"],
      nextSteps: ["test"],
      index: earlier.index,
    });
  });

  it("a completed task that the agent resumes moves back to tasks in progress", () => {
    const again = talk.calls("c", {
      a: ["write_todos", { todos: [{ content: "lex", status: "in_progress" }] }],
    });
    expect(carriedState([again, talk.result("r", "a", "ok")], earlier)).toMatchObject({
      done: [],
      inProgress: ["lex"],
    });
  });
});

it("newestThatFit drops the oldest entries first", () => {
  expect(newestThatFit(["aaaa", "bb", "cc"], 4)).toEqual(["bb", "cc"]);
  expect(newestThatFit(["aaaa"], 3)).toEqual([]);
  expect(newestThatFit([], 0)).toEqual([]);
});
