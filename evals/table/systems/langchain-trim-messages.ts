import { trimMessages } from "@langchain/core/messages";
import type { Start, TableSystem } from "../table-system.js";

/** `trimMessages` before every call: the newest messages that fit. The first setting is the one of its documentation. */
export const langchainTrimMessages: TableSystem = {
  name: "langchain trimMessages",
  package: "@langchain/core",
  reads: "thread",
  settings: {
    "starts with the user": trimming(1, ["human"]),
    "starts with anything": trimming(1, []),
    "starts with a call": trimming(1, ["human", "ai"]),
    "starts with a call, half of the window": trimming(0.5, ["human", "ai"]),
  },
};

function trimming(share: number, startOn: readonly ("human" | "ai")[]): Start {
  return ({ window, count }) =>
    (messages) =>
      trimMessages(messages, {
        strategy: "last",
        maxTokens: share * window,
        tokenCounter: count,
        ...(startOn.length === 0 ? {} : { startOn: [...startOn] }),
        endOn: ["human", "tool"],
      });
}
