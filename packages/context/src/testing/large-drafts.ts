import { HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { aiDraft, aiStyles } from "./ai-drafts.js";
import { idField, type CallDraft, type Draft } from "./drafts.js";

/** Messages that belong together, one of them large. Call ids start with the given prefix. */
export type LargeTurn = (callId: string) => readonly Draft[];

const kinds = [
  "system",
  "user",
  "reply",
  "input",
  "pending-input",
  "broken-input",
  "result",
  "results",
] as const;

/** Returns turns with one message of 0.3 to 3 windows, in every role, call arguments included. */
export function largeTurnArbitrary(window: number): fc.Arbitrary<LargeTurn> {
  const parts = fc.record({
    kind: fc.constantFrom(...kinds),
    tenths: fc.integer({ min: 3, max: 30 }),
    style: fc.constantFrom(...aiStyles),
    oneLine: fc.boolean(),
  });
  return parts.map(({ kind, tenths, style, oneLine }) => {
    const text = filler((tenths / 10) * window, oneLine ? " " : "\n");
    const ai = (calls: readonly CallDraft[], callIds: readonly string[], said = "") =>
      aiDraft({
        style,
        text: said,
        thinking: undefined,
        inputTokens: undefined,
        calls: calls.flatMap((call, index) => ({ ...call, id: callIds[index] ?? "" })),
      });
    return (callId) => {
      const ids = kind === "results" ? [`${callId}a`, `${callId}b`, `${callId}c`] : [callId];
      const fill = (content: string) => ids.map(() => writeCall(content, kind === "broken-input"));
      const results = (content: string) => ids.map((id) => result(id, content));
      if (kind === "system")
        return [{ kind, build: (id) => new SystemMessage({ ...idField(id), content: text }) }];
      if (kind === "user")
        return [{ kind: "human", build: (id) => new HumanMessage({ ...idField(id), content: text }) }];
      if (kind === "reply") return [ai([], [], text)];
      if (kind === "pending-input") return [ai(fill(text), ids)];
      const isInput = kind === "input" || kind === "broken-input";
      return isInput
        ? [ai(fill(text), ids), ...results("Written.")]
        : [ai(fill("short"), ids), ...results(text)];
    };
  });
}

function writeCall(content: string, broken: boolean): CallDraft {
  return { name: "write_file", args: { file_path: "src/large.ts", content }, broken };
}

function result(callId: string, content: string): Draft {
  return {
    kind: "result",
    build: (id) => new ToolMessage({ ...idField(id), name: "write_file", content, tool_call_id: callId }),
  };
}

/** Returns a text of about `tokens` tokens in which every line is different. */
function filler(tokens: number, separator: string): string {
  const rows = Math.ceil(tokens / 10);
  return Array.from({ length: rows }, (_, row) => `row ${row} holds the value ${row * 7919}`).join(separator);
}
