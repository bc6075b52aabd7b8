import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { languages } from "../testing/languages.js";
import { goalDrift } from "./goal-drift.js";

const call = (
  id: string,
  args: Record<string, unknown>,
  { name = "read", text = "" } = {},
): readonly BaseMessage[] => [
  new AIMessage({ id, content: text, tool_calls: [{ id: `c-${id}`, name, args }] }),
  new ToolMessage({ id: `r-${id}`, tool_call_id: `c-${id}`, name, content: "the parser of dates" }),
];
const goal = new HumanMessage({ id: "goal", content: "Fix the parser of dates in src/dateParser.ts." });
const away = (count: number) =>
  Array.from({ length: count }, (_, at) => call(`x${at}`, { path: `/music/song${at}.mid` })).flat();

describe("goalDrift", () => {
  it("counts the newest calls that share no word with the goal, whatever their results say", () => {
    const messages = [goal, ...call("a", { path: "/src/parser.ts" }), ...away(5)];
    expect(goalDrift(messages)).toEqual({ calls: 5, since: "x0" });
    expect(goalDrift([...messages, ...call("b", { pattern: "DateParser" })])).toEqual({
      calls: 0,
      since: undefined,
    });
  });

  it.each([
    ["the text beside the call", call("b", { path: "/x" }, { text: "Back to the parser." })],
    ["a part of a camel-case name", call("b", { pattern: "parseDateParser" })],
    ["a new message of the user", [new HumanMessage({ id: "new", content: "Now tune the songs." })]],
    ["a new plan", call("b", { todos: [{ content: "look into /music" }] }, { name: "write_todos" })],
  ])("ends at %s", (_, back) => {
    expect(goalDrift([goal, ...away(9), ...back]).calls).toBeLessThanOrEqual(1);
  });

  it("counts parallel calls, and none without a goal or before the newest message of the user", () => {
    const both = new AIMessage({
      id: "p",
      content: "",
      tool_calls: [
        { id: "1", name: "read", args: { path: "/music/a.mid" } },
        { id: "2", name: "read", args: { path: "/music/b.mid" } },
      ],
    });
    expect(goalDrift([goal, both])).toEqual({ calls: 2, since: "p" });
    expect(goalDrift(away(5)).calls).toBe(0);
    expect(goalDrift([goal, ...away(5), new HumanMessage("Go on.")]).calls).toBe(0);
  });

  it.each(languages)("knows the subject in $name", ({ facts, others }) => {
    const [one] = facts;
    const asked = new HumanMessage({ id: "q", content: one?.question ?? "" });
    const on = call("on", { note: one?.fact });
    const off = call("off", { note: others[0] });
    expect([goalDrift([asked, ...on]).calls, goalDrift([asked, ...off]).calls]).toEqual([0, 1]);
  });
});
