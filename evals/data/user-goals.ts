import type { BaseMessage } from "@langchain/core/messages";

/** Returns what the user wants: the first and the newest message of the user, once where they are one. Pure. */
export function userGoals(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const users = messages.filter((message) => message.getType() === "human");
  return [...new Set([users.at(0), users.at(-1)])].filter((message) => message !== undefined);
}
