import { langchainWith, type LangchainSettings } from "../../policies/langchain-summarization.js";
import { playing } from "../play-system.js";
import type { Start, TableSystem } from "../table-system.js";

/** `summarizationMiddleware`. It has no trigger of its own: 0.85 of the window, where the setting names none. */
export const langchainSummarization: TableSystem = {
  name: "langchain summarization",
  package: "langchain",
  reads: "prompt",
  settings: {
    default: withSettings({}),
    "keep 3,000 tokens": withSettings({ keep: 3_000 }),
    "keep 500 tokens": withSettings({ keep: 500 }),
    "keep 500 tokens, trigger 0.5": withSettings({ keep: 500, trigger: 0.5 }),
  },
};

function withSettings(settings: LangchainSettings): Start {
  return playing(({ model }) => langchainWith(() => model, settings));
}
