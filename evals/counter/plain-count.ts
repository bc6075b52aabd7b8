import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { messageText, sumOnce } from "@palimpsest/context/internal";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** Counts messages. */
export type Count = (messages: readonly BaseMessage[]) => number;

/** Tokens of the role and the separators around one message. */
const messageTokens = 4;

export const charsOverFour = plainCount((text) => text.length / 4);
export const o200k = plainCount((text) => countTokens(text, { disallowedSpecial: new Set() }));

/** Counts messages as hosts do by hand: their texts, and nothing for a call besides its name and its arguments. */
function plainCount(countText: (text: string) => number): Count {
  const known = new WeakMap<BaseMessage, number>();
  return sumOnce((message) => {
    const tokens =
      known.get(message) ?? textsOf(message).reduce((sum, text) => sum + countText(text), messageTokens);
    known.set(message, tokens);
    return tokens;
  });
}

function textsOf(message: BaseMessage): readonly string[] {
  const reasoning = message.additional_kwargs["reasoning_content"];
  const calls = toolCalls(message).flatMap(({ name, args }) => [name, JSON.stringify(args)]);
  return [messageText(message), message.name ?? "", typeof reasoning === "string" ? reasoning : "", ...calls];
}
