import type { BaseMessage } from "@langchain/core/messages";
import { isAi, toolCalls } from "@palimpsest/context";

/** True for a message that calls tools. */
export function isCalling(message: BaseMessage): boolean {
  return isAi(message) && toolCalls(message).length > 0;
}
