import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { toStoredMessage } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { filler } from "../testing/history.js";
import { withContextBudget } from "./with-context-budget.js";

const options = { files: VirtualFilesystem.inMemory(), contextWindow: 100_000 };

function thread(tokens: number, todos?: readonly { content: string; status: string }[]): BaseMessage[] {
  const call = { id: "c", name: "write_todos", args: { todos: todos ?? [] }, type: "tool_call" } as const;
  return [
    new HumanMessage({ id: "q", content: filler(tokens) }),
    new AIMessage({ id: "a", content: "", tool_calls: [call] }),
    new ToolMessage({ id: "r", content: "ok", tool_call_id: "c" }),
  ];
}

const lineOf = (messages: readonly BaseMessage[]) => withContextBudget(messages, options).at(-1)?.text;

describe("the budget line", () => {
  it("says how full the window is, in tens, and where it is compacted by itself", () => {
    expect(lineOf(thread(56_000))).toBe(
      "ok\n\n[Context: about 60 % of the window is used; at 95 % it is compacted for you. " +
        "Go on, and call compress_context when the present piece of work is done.]",
    );
  });

  it("advises a compaction where a task is done, and where the user asks for something new", () => {
    const advice = "A piece of work has just ended";
    expect(lineOf(thread(56_000, [{ content: "Read a", status: "completed" }]))).toContain(advice);
    expect(lineOf(thread(56_000, [{ content: "Read a", status: "pending" }]))).not.toContain(advice);
    const asked = [...thread(56_000), new AIMessage({ id: "b", content: "Done." }), new HumanMessage("More")];
    expect(lineOf(asked)).toContain(advice);
  });

  it("is not there where a request would be refused, behind the model's words, or without messages", () => {
    for (const messages of [thread(40_000), thread(56_000).slice(0, 2), []]) {
      expect(withContextBudget(messages, options)).toBe(messages);
    }
  });

  it("changes neither the messages of the state nor any before the newest, and what is sent stays legal", () => {
    const messages = thread(56_000);
    const stored = JSON.stringify(messages.map((message) => toStoredMessage(message)));
    const told = withContextBudget(messages, options);
    expect(told.slice(0, -1).every((message, index) => message === messages[index])).toBe(true);
    expect(JSON.stringify(messages.map((message) => toStoredMessage(message)))).toBe(stored);
    expect(illegalities(told)).toEqual([]);
  });

  it("is a block of its own behind content in blocks", () => {
    const image = { type: "image_url", image_url: { url: "data:," } };
    const messages = [
      ...thread(56_000),
      new AIMessage({ id: "b", content: "And?" }),
      new HumanMessage({ id: "i", content: [image] }),
    ];
    expect(withContextBudget(messages, options).at(-1)?.content).toEqual([
      image,
      { type: "text", text: expect.stringMatching(/^\[Context: about 60 %/) as string },
    ]);
  });
});
