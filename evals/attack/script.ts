import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";

/** Every so many pages one is larger than the window. */
const largeEvery = 20;

export function askedFirst(): HumanMessage {
  return new HumanMessage({ id: "ask", content: "Read all pages. Never delete anything." });
}

export function askedLast(): HumanMessage {
  return new HumanMessage({ id: "last", content: "Is that all?" });
}

/** Returns the text of a page: most take a fortieth of the window, some a quarter more than the whole. No line occurs twice. */
export function pageText(page: number, window: number): string {
  const tokens = page % largeEvery === 3 ? window * 1.25 : window / 40;
  const lines = Array.from({ length: Math.ceil((tokens * 4) / 32) }, (_, line) =>
    `page ${page} line ${line} holds ${(page * 7_919 + line * 31) % 1_000_003}`.padEnd(31, "."),
  );
  return lines.join("\n");
}

/** Returns a step of the agent: its call and the result. */
export function stepMessages(step: number, window: number): readonly BaseMessage[] {
  const call = { id: `c${step}`, name: "read_page", args: { page: step }, type: "tool_call" as const };
  const result = { id: `r${step}`, tool_call_id: call.id, name: call.name, content: pageText(step, window) };
  return [
    new AIMessage({ id: `a${step}`, content: `Reading page ${step}.`, tool_calls: [call] }),
    new ToolMessage(result),
  ];
}

/** Returns the thread as it happens, without what a client adds. */
export function scriptedThread(steps: number, window: number): readonly BaseMessage[] {
  const read = Array.from({ length: steps }, (_, step) => stepMessages(step, window));
  return [askedFirst(), ...read.flat(), askedLast()];
}
