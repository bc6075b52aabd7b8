import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { talk } from "../testing/index.js";
import { filePathOf, isAi, isFileRead, isFileWrite, isToolResult, toolCalls } from "./tool-calls.js";

describe("toolCalls", () => {
  it("lists parsed calls, invalid calls and calls that are only in a content block", () => {
    const message = new AIMessage({
      content: [
        { type: "text", text: "let me see" },
        { type: "tool_use", id: "a", name: "ls", input: { path: "/" } },
        { type: "tool_use", id: "b", name: "cat", input: '{"path":' },
        { type: "function_call", call_id: "c", name: "grep", arguments: '{"q":1}' },
        { type: "tool_call", id: "d", name: "find", args: { name: "x" } },
      ],
      tool_calls: [{ id: "a", name: "ls", args: { path: "/" } }],
      invalid_tool_calls: [{ id: "e", args: "{" }],
    });
    expect(toolCalls(message)).toEqual([
      { id: "a", name: "ls", args: { path: "/" } },
      { id: "e", name: "unknown", args: { arguments: "{" } },
      { id: "b", name: "cat", args: { arguments: '{"path":' } },
      { id: "c", name: "grep", args: { arguments: '{"q":1}' } },
      { id: "d", name: "find", args: { name: "x" } },
    ]);
  });

  it("counts a part of Gemini as a copy of a call, and as a call where there is no other", () => {
    const part = {
      type: "functionCall",
      functionCall: { name: "ls", args: { path: "/" } },
      thoughtSignature: "s",
    };
    const call = { id: "a", name: "ls", args: { path: "/" } };
    expect(toolCalls(new AIMessage({ content: [part], tool_calls: [call] }))).toEqual([call]);
    expect(toolCalls(new AIMessage({ content: [part] }))).toEqual([{ ...call, id: undefined }]);
  });

  it("finds none in messages that are not from the model", () => {
    expect(toolCalls(talk.human("h", "x"))).toEqual([]);
    expect(toolCalls(talk.result("r", "a", "x"))).toEqual([]);
    expect(toolCalls(talk.ai("e", "x"))).toEqual([]);
  });

  it("distinguishes AI messages from tool results", () => {
    expect([talk.ai("e", "x"), talk.result("r", "a", "x"), talk.human("h", "x")].map(isAi)).toEqual([
      true,
      false,
      false,
    ]);
    expect([talk.ai("e", "x"), talk.result("r", "a", "x"), talk.human("h", "x")].map(isToolResult)).toEqual([
      false,
      true,
      false,
    ]);
  });
});

const call = (name: string, args: Record<string, unknown> = {}) => ({ id: "c", name, args });

describe("file calls", () => {
  it.each(["path", "file_path", "filePath", "file", "filename", "notebook_path"])(
    "finds the file in %s",
    (key) => {
      expect(filePathOf(call("x", { [key]: "a.ts" }))).toBe("a.ts");
    },
  );

  it("finds no file in arguments without a path", () => {
    expect(
      [{}, { path: "" }, { path: 7 }, { query: "a.ts" }].map((args) => filePathOf(call("x", args))),
    ).toEqual([undefined, undefined, undefined, undefined]);
  });

  it.each(["write_file", "editFile", "str_replace", "apply-patch", "Delete", "NotebookEdit"])(
    "sees that %s writes",
    (name) => {
      expect([isFileWrite(call(name)), isFileRead(call(name))]).toEqual([true, false]);
    },
  );

  it.each(["read_file", "readFile", "view", "cat", "fs.open"])("classifies %s as a read", (name) => {
    expect([isFileWrite(call(name)), isFileRead(call(name))]).toEqual([false, true]);
  });

  it.each(["search", "spreadsheet", "category", "overview", "rewriter"])(
    "classifies %s as neither a read nor a write",
    (name) => {
      expect([isFileWrite(call(name)), isFileRead(call(name))]).toEqual([false, false]);
    },
  );
});
