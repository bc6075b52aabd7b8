import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";
import { asksStill } from "./asks-still.js";

const question = "And what about Antarctica?";

/** The application shortens `messages` after a summary, as applications do, and the user asks on. */
export const hostTrims: Scenario = {
  title: "The application trims its messages after a summary",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const { steps, tools } = longWork({ steps: 15, size: 150 });
    return { tools, originals: [], reply: script(...steps), window: 30_000 };
  },
  async play(agent) {
    await agent.run([new HumanMessage("Read the book.")]);
    await agent.edit([new HumanMessage({ id: "new", content: "We talked about a book." })]);
    await agent.run([new HumanMessage(question)]);
  },
  measure: asksStill(question),
};
