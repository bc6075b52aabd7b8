import { HumanMessage, type AIMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { brokenPrefix } from "./broken-prefix.js";

/** Shortening the arguments of a call must leave the message what it was. */
export const truncatedIdentity: Scenario = {
  title: "Ids and usage of messages whose arguments were shortened",
  peer: "deepagents",
  buildPeer: deepAgent,
  world: () => ({ ...brokenPrefix.world(), window: 40_000 }),
  play: (agent) => agent.run([new HumanMessage("Write sixty files.")]),
  async measure({ calls }) {
    const prompts = calls.filter(({ purpose }) => purpose === "agent");
    const said = prompts.flatMap(({ messages }) => messages.filter((message) => message.getType() === "ai"));
    const bare = said.filter(
      (message) => message.id === undefined || usageOf(message as AIMessage) === undefined,
    );
    const text = `${bare.length} of ${said.length} sent answers without id or usage`;
    return { text, sound: bare.length === 0 };
  },
};

function usageOf(message: AIMessage): unknown {
  return message.usage_metadata;
}
