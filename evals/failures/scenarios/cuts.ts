import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { addedIllegalities } from "@palimpsest/context/testing";
import { ClearToolUsesEdit, contextEditingMiddleware } from "langchain";
import { langchainAgent } from "../agents/langchain-agent.js";
import { summarizingAgent } from "../agents/summarizing-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork, longWorld } from "../world/long-work.js";
import { rows } from "../world/rows.js";
import { parallel, script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";
import { asksStill } from "./asks-still.js";
import { inDeepAgents, inSummarization } from "./peers.js";
import { asking } from "./asking.js";

/** The cut would fall into ten parallel results: what becomes of the group? */
export const parallelAcrossCut: Scenario = {
  title: "Ten parallel results that reach across the cut",
  peer: "deepagents createSummarizationMiddleware",
  buildPeer: (world) => summarizingAgent(world, { trigger: 12, keep: 6 }),
  world() {
    const { steps, ...work } = longWork({ steps: 10, size: 60 });
    return {
      ...work,
      reply: script(
        parallel(
          "book",
          steps.map((_, page) => ({ page })),
        ),
      ),
      window: 8_000,
    };
  },
  play: asking("Read the book."),
};

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

const question = "And what about Antarctica?";

/** The application shortens `messages` after a summary, as applications do, and the user asks on. */
export const hostTrims: Scenario = {
  title: "The application trims its messages after a summary",
  ...inDeepAgents,
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

const rule = "Never push to main.";

export const systemInMessages: Scenario = {
  title: "A system message among the messages",
  ...inSummarization,
  world: () => longWorld({ steps: 15, size: 150 }, { window: 30_000 }),
  play: (agent) =>
    agent.run([new SystemMessage({ id: "s", content: rule }), new HumanMessage("Read the book.")]),
  measure: asksStill(rule),
};

/** Old results are cleared from what is sent: and from where else? */
export const clearedResults: Scenario = {
  title: "Old tool results cleared at 25,000 tokens",
  peer: "langchain contextEditingMiddleware",
  buildPeer: (world) =>
    langchainAgent(world, () =>
      contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: { tokens: 25_000 } })] }),
    ),
  world: () => longWorld({ steps: 40 }, { window: 30_000 }),
  play: asking("Read the book."),
};
