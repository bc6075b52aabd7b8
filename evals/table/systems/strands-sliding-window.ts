import { SlidingWindowConversationManager } from "@strands-agents/sdk";
import { strandsRun } from "../formats/strands-run.js";
import type { Start, TableSystem } from "../table-system.js";

type Settings = ConstructorParameters<typeof SlidingWindowConversationManager>[0];

/** The default of the Strands Agents SDK: 40 messages after each task; on an overflow, results cut, then messages dropped. */
export const strandsSlidingWindow: TableSystem = {
  name: "Strands sliding window",
  package: "@strands-agents/sdk",
  reads: "prompt",
  settings: {
    default: withSettings({}),
    "before the overflow": withSettings({ proactiveCompression: true }),
    "20 messages, before the overflow": withSettings({ windowSize: 20, proactiveCompression: true }),
    "first message pinned": withSettings({ pinFirst: 1 }),
  },
};

function withSettings(settings: Settings): Start {
  return (host) => strandsRun(new SlidingWindowConversationManager(settings), host);
}
