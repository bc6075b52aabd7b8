import type { ContextOptions } from "@palimpsest/langgraph";
import { ladderWith, planner, tightOptions } from "../../policies/palimpsest-planned.js";
import { playing } from "../play-system.js";
import type { Start, TableSystem } from "../table-system.js";

/** The compaction node. */
export const palimpsest: TableSystem = {
  name: "Palimpsest",
  package: "@palimpsest/langgraph",
  isOurs: true,
  reads: "prompt",
  settings: {
    default: withOptions({}),
    "keep 20 messages": withOptions({ keep: { messages: 20 } }),
    planned: withOptions({ planner }),
    tight: withOptions(tightOptions),
  },
};

function withOptions(options: Partial<ContextOptions>): Start {
  return playing(({ model }) => ladderWith("Palimpsest", () => ({ ...options, model })));
}
