import { type BaseChatModel } from "@langchain/core/language_models/chat_models";
import { OfflineModel } from "./offline/offline-model.js";

/** Which model runs the agent. */
export interface ChatModelOptions {
  /** Model of an OpenAI-compatible server; undefined for the offline model. */
  readonly name: string | undefined;
  /** Tokens. */
  readonly contextWindow: number;
}

/**
 * Returns the model that runs the agent. With a name it is `ChatOpenAI`, which reads `OPENAI_API_KEY` and
 * `OPENAI_BASE_URL`; without, the offline model.
 */
export async function chatModel({ name, contextWindow }: ChatModelOptions): Promise<BaseChatModel> {
  if (name === undefined) return new OfflineModel({ contextWindow });
  // Loaded when it is needed: the client is large, and most runs are offline.
  const { ChatOpenAI } = await import("@langchain/openai");
  return new ChatOpenAI({ model: name, temperature: 0, maxRetries: 3 });
}
