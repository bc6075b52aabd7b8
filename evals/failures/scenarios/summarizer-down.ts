import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { downSummarizer, threeTurns } from "./three-turns.js";

export const summarizerDown: Scenario = {
  title: "The summarizer fails on every one of three turns",
  peer: "deepagents",
  buildPeer: deepAgent,
  world: () => downSummarizer(),
  play: (agent) => threeTurns(agent, (turn) => new HumanMessage(`Read on, ${turn}.`)),
};
