import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { ReuseIndex } from "@palimpsest/context";
import { expect, it } from "vitest";
import { archiveStep } from "./step-archive.js";

it("writes every line of a step for the reader, also of those that the index has let go of", () => {
  const index = new ReuseIndex({ candidateTokens: 1 });
  const steps = Array.from({ length: 30 }, (_, at) => [
    new AIMessage({
      id: `a${at}`,
      content: `Reading page ${at}.`,
      tool_calls: [{ id: `c${at}`, name: "read", args: {} }],
    }),
    new ToolMessage({
      id: `t${at}`,
      tool_call_id: `c${at}`,
      content: `depot-${at}x opens with code_${at}\nrow two`,
    }),
  ]);
  const chunks = steps.map((messages) => index.append(messages));
  const texts = steps.map((messages, at) => archiveStep(chunks[at]!, messages).writes[0]?.content ?? "");
  expect(
    texts.filter((text, at) => !String(text).includes(`depot-${at}x opens with code_${at}\nrow two`)),
  ).toEqual([]);
});
