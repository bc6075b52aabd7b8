import { ChatOpenAI } from "@langchain/openai";

export interface LiveModelOptions {
  readonly name: string;
  /** Of an endpoint that speaks Chat Completions. @default OpenAI's */
  readonly baseUrl?: string;
  /** Tokens that the agent is told the model takes. */
  readonly window: number;
}

/** Returns a model behind an OpenAI-compatible endpoint that states the window of a task. Its key is OPENAI_API_KEY. */
export function liveModel({ name, baseUrl, window }: LiveModelOptions): ChatOpenAI {
  return new WindowedModel(window, {
    model: name,
    apiKey: process.env["OPENAI_API_KEY"] ?? "none",
    temperature: 0,
    maxRetries: 3,
    ...(baseUrl === undefined ? {} : { configuration: { baseURL: baseUrl } }),
  });
}

class WindowedModel extends ChatOpenAI {
  constructor(
    readonly window: number,
    fields: ConstructorParameters<typeof ChatOpenAI>[0] & object,
  ) {
    super(fields);
  }

  override get profile() {
    return { maxInputTokens: this.window };
  }
}
