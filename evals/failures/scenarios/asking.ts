import { HumanMessage } from "@langchain/core/messages";
import type { Scenario } from "../scenario.js";

/** Returns a play of one turn: the user asks for something once. */
export function asking(text: string): Scenario["play"] {
  return (agent) => agent.run([new HumanMessage(text)]);
}
