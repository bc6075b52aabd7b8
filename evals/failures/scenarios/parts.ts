import { HumanMessage } from "@langchain/core/messages";
import type { Agent } from "../agents/agent.js";
import { deepAgent } from "../agents/deep-agent.js";
import { clearingAgent, summarizationAgent, summarizingAgent } from "../agents/langchain-agents.js";
import type { Finding, Play, Scenario } from "../scenario.js";
import type { ModelCall } from "../world/world-model.js";

type Peer = Pick<Scenario, "peer" | "buildPeer">;

export const inDeepAgents: Peer = { peer: "deepagents", buildPeer: deepAgent };

/** Seen in langchain's own summarization. */
export const inSummarization: Peer = {
  peer: "langchain summarizationMiddleware",
  buildPeer: summarizationAgent,
};

/** Seen where langchain clears old results. */
export const inClearing: Peer = { peer: "langchain contextEditingMiddleware", buildPeer: clearingAgent };

/** Seen in deepagents' summarization alone, which keeps `keep` of `trigger` messages. */
export function inSummarizing(trigger: number, keep: number): Peer {
  return {
    peer: "deepagents createSummarizationMiddleware",
    buildPeer: (world) => summarizingAgent(world, trigger, keep),
  };
}

/** Returns a play of one turn: the user asks for something once, and then something may be measured. */
export function asking(text: string, find?: Play): Play {
  return async function play(agent, world) {
    await agent.run([new HumanMessage(text)]);
    return find?.(agent, world);
  };
}

/** Lets the user say that the agent reads on, turn by turn, whatever becomes of each. */
export async function readOn(agent: Agent, turns: readonly number[]): Promise<void> {
  for (const turn of turns) await agent.run([new HumanMessage(`Read on, ${turn}.`)]);
}

/** Returns the calls of an agent for its own prompts, refused ones included. */
export function promptsOf({ calls }: Agent): readonly ModelCall[] {
  return calls.filter(({ purpose }) => purpose === "agent");
}

/** Returns the calls of an agent for summaries. */
export function summariesOf({ calls }: Agent): readonly ModelCall[] {
  return calls.filter(({ purpose }) => purpose === "summary");
}

/** Returns whether a text is in the last prompt of the agent that was answered. */
export function asksStill(agent: Agent, text: string): Finding {
  const last = promptsOf(agent).findLast(({ outcome }) => outcome === "answered");
  const sound = last?.text.includes(text) === true;
  return { text: `"${text}" is ${sound ? "" : "not "}in the last prompt`, sound };
}

/** Returns the bytes of the checkpoints of an agent, which has to have fewer than `most`. */
export function checkpointsBelow(agent: Agent, most: number): Finding {
  const bytes = agent.storedBytes();
  return { text: `${(bytes / 1e6).toFixed(1)} MB of checkpoints`, sound: bytes < most };
}
