import { deepAgent } from "../agents/deep-agent.js";
import { summarizationAgent } from "../agents/summarization-agent.js";
import type { Scenario } from "../scenario.js";

type Peer = Pick<Scenario, "peer" | "buildPeer">;

/** Seen in deepagents. */
export const inDeepAgents: Peer = { peer: "deepagents", buildPeer: deepAgent };

/** Seen in langchain's own summarization. */
export const inSummarization: Peer = {
  peer: "langchain summarizationMiddleware",
  buildPeer: summarizationAgent,
};
