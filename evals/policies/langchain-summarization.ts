import { RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { summarizationMiddleware } from "langchain";
import { SummaryWriter } from "../horizon/systems/summary-writer.js";
import type { Policy } from "./policy.js";

/** Its declared type is `never` under this TypeScript. */
type Options = Parameters<typeof summarizationMiddleware>[0];

interface Update {
  readonly messages: readonly BaseMessage[];
}

type BeforeModel = (state: object, runtime: object) => Promise<Update | undefined>;

/** langchain's summarization as installed, at 0.85 of the window, with its default of 20 messages kept. */
export const langchainSummarization: Policy = langchainWith((window) => new SummaryWriter(window));

/** langchain's own options. It has no trigger of its own. */
export interface LangchainSettings {
  /** Share of the window at which it summarizes. @default 0.85 */
  readonly trigger?: number;
  /** Tokens of the newest messages that it keeps. @default its own, 20 messages */
  readonly keep?: number;
}

/** Returns langchain's summarization with the caller's summary model. */
export function langchainWith(
  modelOf: (window: number) => SummaryWriter,
  { trigger = 0.85, keep }: LangchainSettings = {},
): Policy {
  return {
    name: "langchain summarization",
    start({ budget }) {
      const kept = keep === undefined ? {} : { keep: { tokens: keep } };
      const options = { model: modelOf(budget), trigger: { fraction: trigger }, ...kept } as Options;
      const beforeModel = summarizationMiddleware(options).beforeModel as unknown as BeforeModel;
      let messages: readonly BaseMessage[] = [];
      return {
        async context(added) {
          const state = { messages: [...messages, ...added] };
          const update = await beforeModel(state, { context: {} });
          const after = update?.messages ?? state.messages;
          messages = after.filter((message) => !RemoveMessage.isInstance(message));
          return messages;
        },
      };
    },
  };
}
