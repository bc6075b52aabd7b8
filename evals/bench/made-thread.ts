import type { BaseMessage } from "@langchain/core/messages";
import { generatedStep } from "../horizon/generated-steps.js";

/** Returns the first `count` messages of a generated session; each call makes them anew, as a loaded checkpoint does. Pure. */
export function madeThread(count: number, seed = 1): BaseMessage[] {
  const messages: BaseMessage[] = [];
  for (let step = 0; messages.length < count; step++) messages.push(...generatedStep(seed, step));
  return messages;
}
