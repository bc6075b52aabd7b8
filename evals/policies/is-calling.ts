import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { isAi } from "@palimpsest/context/internal";

/** True for a message that calls tools. */
export function isCalling(message: BaseMessage): boolean {
  return isAi(message) && toolCalls(message).length > 0;
}
