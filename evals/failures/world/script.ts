import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { Script } from "./world.js";

export interface CallOptions {
  /** Id of the tool call. @default one that no other call has */
  readonly id?: string;
  readonly text?: string;
}

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

/** Returns an answer that calls one tool. */
export function call(
  name: string,
  args: Record<string, unknown>,
  { id = `call-${calls++}`, text = "" }: CallOptions = {},
): AIMessage {
  return new AIMessage({ content: text, tool_calls: [{ id, name, args }] });
}

/** Returns an answer that calls a tool once for each of the arguments, in parallel. */
export function parallel(name: string, args: readonly Record<string, unknown>[]): AIMessage {
  const tool_calls = args.map((one) => ({ id: `call-${calls++}`, name, args: one }));
  return new AIMessage({ content: "", tool_calls });
}
