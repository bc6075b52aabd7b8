import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { addedIllegalities } from "@palimpsest/context/testing";
import { summarizingAgent } from "../agents/summarizing-agent.js";
import type { Scenario } from "../scenario.js";
import { rows } from "../world/rows.js";
import { script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";

const calls = (id: string, ...names: readonly string[]) =>
  new AIMessage({ id, content: id, tool_calls: names.map((name) => ({ id: name, name: "job", args: {} })) });
const result = (id: string) =>
  new ToolMessage({ id: `r-${id}`, tool_call_id: id, name: "job", content: rows(id, 150).join("\n") });
const thread = (): readonly BaseMessage[] => [
  new HumanMessage({ id: "q", content: "Start the jobs." }),
  calls("one", "slow", "quick"),
  result("quick"),
  calls("two", "third"),
  result("third"),
  calls("three", "fourth"),
  result("slow"),
  result("fourth"),
  new AIMessage({ id: "four", content: "All are in." }),
  new HumanMessage({ id: "q2", content: "Sum up." }),
];

/** A result that comes when the agent has gone on: a cut between call and result parts the two. */
export const lateResults: Scenario = {
  title: "A late result behind the cut, its call before it",
  peer: "deepagents createSummarizationMiddleware",
  buildPeer: (world) => summarizingAgent(world, { trigger: 8, keep: 5 }),
  world: () => ({ reply: script(), tools: [textTool("job", String)], originals: [], window: 10_000 }),
  play: (agent) => agent.run(thread()),
  async measure({ calls: made }) {
    const last = made.findLast(({ purpose }) => purpose === "agent");
    const broken = addedIllegalities(thread(), last?.messages ?? []);
    return { text: broken.length === 0 ? "legal" : broken.join(", "), sound: broken.length === 0 };
  },
};
