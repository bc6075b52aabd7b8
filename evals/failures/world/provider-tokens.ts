import type { AIMessage, BaseMessage, ContentBlock } from "@langchain/core/messages";

const imageTokens = 1_600;
const charactersPerToken = 4;

/** Returns the tokens that the provider of these worlds counts: four characters each, 1,600 for an image. */
export function providerTokens(messages: readonly BaseMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

function messageTokens(message: BaseMessage): number {
  const { tool_calls: calls = [] } = message as AIMessage;
  const text = calls.length === 0 ? 0 : JSON.stringify(calls).length;
  const { content } = message;
  if (typeof content === "string") return (text + content.length) / charactersPerToken;
  return (content as ContentBlock[]).reduce(
    (sum, block) => sum + blockTokens(block),
    text / charactersPerToken,
  );
}

function blockTokens(block: ContentBlock): number {
  return block.type.includes("image") ? imageTokens : JSON.stringify(block).length / charactersPerToken;
}
