import { SummarizingConversationManager } from "@strands-agents/sdk";
import { strandsRun } from "../formats/strands-run.js";
import type { Start, TableSystem } from "../table-system.js";

type Settings = ConstructorParameters<typeof SummarizingConversationManager>[0];

/** A summary of the oldest 30 % of the messages when a call overflows. */
export const strandsSummarizing: TableSystem = {
  name: "Strands summarizing",
  package: "@strands-agents/sdk",
  reads: "prompt",
  settings: {
    default: withSettings({}),
    "before the overflow": withSettings({ proactiveCompression: true }),
    "ratio 0.8, keep 4": withSettings({ summaryRatio: 0.8, preserveRecentMessages: 4 }),
    "ratio 0.8, keep 4, first message pinned": withSettings({
      summaryRatio: 0.8,
      preserveRecentMessages: 4,
      pinFirst: 1,
    }),
  },
};

function withSettings(settings: Settings): Start {
  return (host) => strandsRun(new SummarizingConversationManager(settings), host);
}
