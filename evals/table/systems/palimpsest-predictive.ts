import { predictiveNode } from "../../policies/predictive-node.js";
import { playing } from "../play-system.js";
import type { TableSystem } from "../table-system.js";

/** The predictive node, which selects and calls no model. */
export const palimpsestPredictive: TableSystem = {
  name: "Palimpsest predictive",
  package: "@palimpsest/langgraph",
  isOurs: true,
  reads: "prompt",
  settings: {
    default: playing(() => predictiveNode()),
    "target 0.5": playing(() => predictiveNode(0.5)),
    "target 0.3": playing(() => predictiveNode(0.3)),
    "target 0.5, PACE": playing(() => predictiveNode(0.5, "pace")),
  },
};
