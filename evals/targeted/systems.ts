import { deepAgentsAgent } from "./agents/deep-agents-agent.js";
import { palimpsestAgent } from "./agents/palimpsest-agent.js";
import type { TargetedSystem } from "./agents/agent.js";

export const systems: readonly TargetedSystem[] = [palimpsestAgent, deepAgentsAgent];
