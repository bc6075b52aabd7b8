import type { BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { messageLines } from "../messages/message-lines.js";
import { talk } from "../testing/index.js";
import { boxLines, joinPlans, noPlan, planCharacters, readPlan, shownItems } from "./plan-list.js";

function planAfter(...messages: readonly BaseMessage[]): readonly string[] {
  const plan = messages.map(messageLines).reduce(readPlan, noPlan);
  return plan.items.map(({ line }) => line);
}

const steps = ["Read the old importer", "Move the parser", "Drop the flag"];
const open = steps.map((step) => `- [ ] ${step}`);
const write = (content: string) => talk.calls("w", { w: ["write_file", { path: "PLAN.md", content }] });
const edit = (from: string, to: string) =>
  talk.calls("e", { e: ["edit_file", { path: "PLAN.md", old_string: from, new_string: to }] });

describe("the newest check-list", () => {
  it.each<[string, BaseMessage]>([
    ["in a reply", talk.ai("a", `Plan:\n${open.join("\n")}\nI begin.`)],
    ["in a user's message", talk.human("h", open.join("\n"))],
    ["in a file that a call writes", write(`# Plan\n${open.join("\n")}\n`)],
    ["in a command", talk.calls("b", { b: ["bash", { command: `cat > P <<E\n${open.join("\n")}\nE` }] })],
  ])("is read %s", (_, message) => {
    expect(planAfter(message)).toEqual(open);
  });

  it("takes an edit of an item for its newer version, and not what the edit removes", () => {
    const done = "- [x] Move the parser";
    expect(planAfter(write(open.join("\n")), edit(open[1] ?? "", done))).toEqual([open[0], done, open[2]]);
    expect(planAfter(edit(open.join("\n"), "gone"))).toEqual([]);
  });

  it("puts an added item behind the one that it is written behind", () => {
    const added = `${open[0]}\n- [ ] Write a test`;
    expect(planAfter(write(open.join("\n")), edit(open[0] ?? "", added))).toEqual([
      open[0],
      "- [ ] Write a test",
      ...open.slice(1),
    ]);
  });

  it("is replaced by a newer version, and by another list with an open item", () => {
    const newer = [`- [x] ${steps[0]}`, "- [ ] Ask the owner", `- [ ] ${steps[2]}`];
    expect(planAfter(write(open.join("\n")), write(newer.join("\n")))).toEqual(newer);
    const other = ["* [ ] Paint the door", "* [ ] Oil the hinge", "* [ ] Hang it again"];
    expect(planAfter(write(open.join("\n")), write(other.join("\n")))).toEqual(other);
    const report = other.map((line) => line.replace("[ ]", "[x]")).join("\n");
    expect(planAfter(write(open.join("\n")), talk.ai("a", report))).toEqual(open);
  });

  it("is never read from a result", () => {
    expect(planAfter(talk.calls("c", { k: ["cat"] }), talk.result("r", "k", open.join("\n")))).toEqual([]);
  });
});

describe("a numbered list", () => {
  const list = ["1. Read the importer of orders", "2. Move the parser of invoices", "3. Drop the flag"];
  const plan = talk.ai("a", `I go on like this:\n${list.join("\n")}`);

  it("becomes the plan once a later message takes up an item", () => {
    expect(planAfter(plan)).toEqual([]);
    expect(planAfter(plan, talk.ai("b", "Now: Move the parser of invoices."))).toEqual(list);
    expect(planAfter(plan, talk.ai("b", "Now the next step."))).toEqual([]);
  });

  it("does not replace boxes that are still open", () => {
    expect(planAfter(write(open.join("\n")), plan, talk.ai("b", "Move the parser of invoices"))).toEqual(
      open,
    );
  });
});

describe("the bound of a plan", () => {
  const many = Array.from({ length: 90 }, (_, at) => `- [${at < 60 ? "x" : " "}] ${"work ".repeat(16)}${at}`);

  it("keeps open items before those that are done, in their order", () => {
    const plan = readPlan(noPlan, messageLines(talk.ai("a", many.join("\n"))));
    const shown = shownItems(plan, planCharacters).map(({ line }) => line);
    expect(shown.join("").length).toBeLessThanOrEqual(planCharacters);
    expect(shown.filter((line) => line.includes("[ ]"))).toEqual(many.slice(60));
    expect(shown).toEqual(many.filter((line) => shown.includes(line)));
  });

  it("holds for parts that are joined, which keep ticks of a plan that none of them has", () => {
    expect(joinPlans([open, ["- [x] Move the parser"]])).toEqual([open[0], "- [x] Move the parser", open[2]]);
    expect(joinPlans([["- [x] Move the parser"], ["- [x] Drop the flag"]])).toHaveLength(2);
    expect(joinPlans([many, many]).join("").length).toBeLessThanOrEqual(planCharacters);
    expect(boxLines(messageLines(edit(open[0] ?? "", `- [x] ${steps[0]}`)))).toEqual([`- [x] ${steps[0]}`]);
  });
});
