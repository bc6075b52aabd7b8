import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { Script } from "./world.js";

export type Step = AIMessage | ((prompt: readonly BaseMessage[]) => AIMessage);

/** Returns a script that says one thing after the other, and "done" from then on. */
export function script(...steps: readonly Step[]): Script {
  let at = 0;
  return function answer(prompt) {
    const step = steps[at++];
    return typeof step === "function" ? step(prompt) : (step ?? new AIMessage("done"));
  };
}

let calls = 0;

/** Returns an answer that calls one tool, by default with an id that no other call has. */
export function call(name: string, args: Record<string, unknown>, id = `call-${calls++}`): AIMessage {
  return new AIMessage({ content: "", tool_calls: [{ id, name, args }] });
}

/** Returns an answer that calls a tool once for each of the pages, in parallel. */
export function parallel(name: string, pages: number): AIMessage {
  const one = (page: number) => ({ id: `call-${calls++}`, name, args: { page } });
  return new AIMessage({ content: "", tool_calls: Array.from({ length: pages }, (_, page) => one(page)) });
}
