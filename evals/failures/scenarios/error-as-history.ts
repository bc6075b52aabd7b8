import { HumanMessage } from "@langchain/core/messages";
import { summarizationAgent } from "../agents/summarization-agent.js";
import type { Scenario } from "../scenario.js";
import { downSummarizer, threeTurns } from "./three-turns.js";

export const errorAsHistory: Scenario = {
  title: "The summarizer fails: what stands for the history?",
  peer: "langchain summarizationMiddleware",
  buildPeer: summarizationAgent,
  world: downSummarizer,
  play: (agent) => threeTurns(agent, (turn) => new HumanMessage(`Read on, ${turn}.`)),
  async measure({ calls }) {
    const last = calls.findLast(({ purpose }) => purpose === "agent")?.text ?? "";
    const told = last.includes("key has expired");
    return { text: `the error text is ${told ? "" : "not "}in the prompt`, sound: !told };
  },
};
