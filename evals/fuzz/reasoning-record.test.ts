import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { withoutReasoning } from "@palimpsest/context/internal";
import { expect, it } from "vitest";
import { ReasoningRecord } from "./reasoning-record.js";

const asked = (id: string, text: string) => new HumanMessage({ id, content: text });
const reply = (id: string) =>
  new AIMessage({
    id,
    content: [
      { type: "thinking", thinking: id, signature: id },
      { type: "text", text: `Reply ${id}` },
    ],
  });
const thread = [
  asked("h1", "Count."),
  reply("a1"),
  asked("h2", "On."),
  reply("a2"),
  asked("h3", "On."),
  reply("a3"),
];

/** Replaces the messages at some places. */
function changed(...places: readonly (readonly [number, BaseMessage])[]): readonly BaseMessage[] {
  const messages: BaseMessage[] = [...thread];
  for (const [index, message] of places) messages[index] = message;
  return messages;
}

function staleIn(context: readonly BaseMessage[]): readonly string[] {
  const record = new ReasoningRecord();
  record.record(thread.slice(0, 4), 0);
  record.record(thread, 4);
  return record.stale(context);
}

const without = (index: number) => [index, withoutReasoning(thread[index]!)] as const;

it.each<[string, readonly BaseMessage[], readonly string[]]>([
  ["nothing", thread, []],
  ["an edited message", changed([2, asked("h2", "Go on.")]), ["a2", "a3"]],
  ["a removed message", thread.toSpliced(2, 1), ["a2", "a3"]],
  ["an inserted message", thread.toSpliced(4, 0, asked("h", "Hurry.")), ["a3"]],
  ["the oldest reasoning taken away", changed(without(1)), []],
  ["all reasoning but the newest taken away", changed(without(1), without(3)), []],
  ["reasoning taken from the middle", changed(without(3)), ["a3"]],
  [
    "a compaction of the provider before all",
    [new AIMessage({ id: "n", content: [{ type: "compaction", content: "S" }] }), ...thread],
    [],
  ],
])("the reasoning that %s makes stale is named", (_, context, stale) => {
  expect(staleIn(context)).toEqual(stale);
});

it("reasoning that was made behind a changed message is valid behind it alone", () => {
  const record = new ReasoningRecord();
  record.record(thread.slice(0, 2), 0);
  const edited = [asked("h1", "Count to ten."), withoutReasoning(thread[1]!), ...thread.slice(2)];
  record.record(edited, 2);
  expect(record.stale(edited)).toEqual([]);
  expect(record.stale(thread)).toEqual(["a2", "a3"]);
});
