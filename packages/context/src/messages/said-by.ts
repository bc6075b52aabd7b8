import type { BaseMessage } from "@langchain/core/messages";
import { isReasoningBlock } from "./provider/reasoning.js";
import { soundMessage } from "./sound/sound-message.js";
import { contentBlocks, messageText } from "./text.js";
import { isCallBlock, isToolResult, toolCalls } from "./tool-calls.js";

/** Returns what a message says, without what a client may leave out of its copy: metadata, usage, reasoning. */
export function saidBy(given: BaseMessage): string {
  const message = soundMessage(given);
  const others = contentBlocks(message).filter(
    (block) => block["type"] !== "text" && !isReasoningBlock(block) && !isCallBlock(block),
  );
  const calls = toolCalls(message).map(({ id, name, args }) => [id, name, args]);
  const result = isToolResult(message) ? message.tool_call_id : undefined;
  return JSON.stringify([message.getType(), messageText(message), others, calls, result]);
}
