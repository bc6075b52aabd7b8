import { deepAgentsWith, type DeepAgentsSettings } from "../../policies/deep-agents.js";
import { playing } from "../play-system.js";
import type { Start, TableSystem } from "../table-system.js";

/** Its summarization, and its eviction of large results. */
export const deepAgents: TableSystem = {
  name: "deepagents",
  package: "deepagents",
  reads: "prompt",
  settings: {
    default: withSettings({}),
    "keep 20 messages": withSettings({ keepMessages: 20 }),
    "keep 500 tokens": withSettings({ keep: 500 }),
    "keep 500 tokens, evict 1,000": withSettings({ keep: 500, evict: 1_000 }),
  },
};

function withSettings(settings: DeepAgentsSettings): Start {
  return playing(({ model }) => deepAgentsWith(() => model, settings));
}
