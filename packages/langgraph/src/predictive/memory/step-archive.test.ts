import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { ReuseIndex } from "@palimpsest/context/selection";
import { expect, it } from "vitest";
import { archiveStep } from "./step-archive.js";

it("archiveStep writes every line of a step, even after the index has emptied its lines", () => {
  const messages = [
    new AIMessage({ id: "a", content: "Reading.", tool_calls: [{ id: "c", name: "read", args: {} }] }),
    new ToolMessage({ id: "t", tool_call_id: "c", content: "depot-17x opens with code_17\nrow two" }),
  ];
  const chunk = new ReuseIndex().append(messages);
  const emptied = { ...chunk, lines: chunk.lines.map((line) => ({ ...line, text: "" })) };
  const [readable] = archiveStep(emptied, messages).writes;
  expect(readable?.content).toBe("Reading.\nread {}\ndepot-17x opens with code_17\nrow two");
});
