import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { rows } from "../world/rows.js";
import { script } from "../world/script.js";

/** One pasted text is longer than what the summarizer can read; nobody has said what the model takes. */
export const summarizerWindow: Scenario = {
  title: "A pasted text of 100 KB, to a model that takes 20,000 tokens and does not say so",
  peer: "deepagents",
  buildPeer: deepAgent,
  world: () => ({ reply: script(), originals: rows("paste", 1_650), limit: 20_000 }),
  play: (agent, { originals }) => agent.run([new HumanMessage(`What is in this?\n${originals.join("\n")}`)]),
};
