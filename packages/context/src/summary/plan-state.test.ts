import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { isTaskBoundary } from "./plan-state.js";

const question = new HumanMessage("Survey a, then b.");

function step(statuses: Readonly<Record<string, string>>, id = "c"): BaseMessage[] {
  const todos = Object.entries(statuses).map(([content, status]) => ({ content, status }));
  return [
    new AIMessage({ content: "", tool_calls: [{ id, name: "write_todos", args: { todos } }] }),
    new ToolMessage({ content: "ok", tool_call_id: id }),
  ];
}

const work = [
  new AIMessage({ content: "", tool_calls: [{ id: "w", name: "read", args: { path: "/a" } }] }),
  new ToolMessage({ content: "text", tool_call_id: "w" }),
];

describe("a task boundary", () => {
  it("a newest step that completes another task is a task boundary", () => {
    const planned = [question, ...step({ a: "in_progress", b: "pending" }, "p"), ...work];
    expect(isTaskBoundary([...planned, ...step({ a: "completed", b: "pending" })])).toBe(true);
    expect(isTaskBoundary([...planned, ...step({ a: "in_progress", b: "pending" })])).toBe(false);
    expect(isTaskBoundary([...planned, ...step({ a: "completed" }), ...work])).toBe(false);
    expect(isTaskBoundary([...planned, ...step({ a: "completed" }), ...step({ a: "completed" }, "d")])).toBe(
      false,
    );
  });

  it("a new user message is a task boundary, except the first one", () => {
    expect(isTaskBoundary([question])).toBe(false);
    expect(isTaskBoundary([question, new AIMessage("Done."), new HumanMessage("And c?")])).toBe(true);
    expect(isTaskBoundary([])).toBe(false);
  });
});
