import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";

const reasoning = "I suspect the third index, for the first two are warm.";
const picture = `iVBORw0KGgo${"q".repeat(400)}`;
const opening = [
  new HumanMessage("Why is the query slow?"),
  new AIMessage({
    id: "plan",
    content: [
      { type: "thinking", thinking: reasoning, signature: "sig-EqoBCkgIA" },
      { type: "text", text: "Looking." },
    ],
    tool_calls: [
      { id: "toolu_first_91", name: "book", args: { page: 0 } },
      { id: "toolu_other_92", name: "book", args: { page: 1 } },
    ],
  }),
  new ToolMessage({
    tool_call_id: "toolu_first_91",
    status: "error",
    content: "deadlock 40P01",
    name: "book",
  }),
  new ToolMessage({
    tool_call_id: "toolu_other_92",
    name: "book",
    content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } }],
  }),
];

/** All that is in a message and not in its text. */
export const losslessHistory: Scenario = {
  title: "Reasoning, images, call ids and errors after a summary",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const { steps, originals, ...work } = longWork({ steps: 14, size: 250 });
    const parts = [reasoning, "sig-EqoBCkgIA", picture, "toolu_first_91", "toolu_other_92"];
    return {
      ...work,
      originals: [...originals, ...parts, "deadlock 40P01"],
      reply: script(...steps),
      window: 30_000,
    };
  },
  play: (agent) => agent.run([...opening]),
};
