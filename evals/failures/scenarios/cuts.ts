import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { addedIllegalities } from "@palimpsest/context/testing";
import type { Scenario } from "../scenario.js";
import { longWork, longWorld, rows, textTool } from "../world/made-work.js";
import { parallel, script } from "../world/script.js";
import {
  asking,
  asksStill,
  inClearing,
  inDeepAgents,
  inSummarization,
  inSummarizing,
  promptsOf,
} from "./parts.js";

const calls = (id: string, ...names: readonly string[]) =>
  new AIMessage({ id, content: id, tool_calls: names.map((name) => ({ id: name, name: "job", args: {} })) });
const result = (id: string) =>
  new ToolMessage({ id: `r-${id}`, tool_call_id: id, name: "job", content: rows(id, 150).join("\n") });
const lateThread = (): readonly BaseMessage[] => [
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

const question = "And what about Antarctica?";
const rule = "Never push to main.";

/** Old results are cleared from what is sent: and from where else? */
export const clearedResults: Scenario = {
  title: "Old tool results cleared at 25,000 tokens",
  ...inClearing,
  world: () => longWorld({ steps: 40 }, { window: 30_000 }),
  play: asking("Read the book."),
};

/** What a cut, by a summary or by hand, makes of what stands at it. */
export const cuts: readonly Scenario[] = [
  {
    title: "Ten parallel results that reach across the cut",
    ...inSummarizing(12, 6),
    world: () => ({
      ...longWork({ steps: 10, size: 60 }),
      reply: script(parallel("book", 10)),
      window: 8_000,
    }),
    play: asking("Read the book."),
  },
  {
    // A result that comes when the agent has gone on: a cut between call and result parts the two.
    title: "A late result behind the cut, its call before it",
    ...inSummarizing(8, 5),
    world: () => ({ reply: script(), tools: [textTool("job", String)], originals: [], window: 10_000 }),
    async play(agent) {
      await agent.run(lateThread());
      const broken = addedIllegalities(lateThread(), promptsOf(agent).at(-1)?.messages ?? []);
      return { text: broken.length === 0 ? "legal" : broken.join(", "), sound: broken.length === 0 };
    },
  },
  {
    // The application shortens `messages` after a summary, as applications do, and the user asks on.
    title: "The application trims its messages after a summary",
    ...inDeepAgents,
    world: () => ({ ...longWorld({ steps: 15, size: 150 }, { window: 30_000 }), originals: [], shown: [] }),
    async play(agent) {
      await agent.run([new HumanMessage("Read the book.")]);
      await agent.edit([new HumanMessage({ id: "new", content: "We talked about a book." })]);
      await agent.run([new HumanMessage(question)]);
      return asksStill(agent, question);
    },
  },
  {
    title: "A system message among the messages",
    ...inSummarization,
    world: () => longWorld({ steps: 15, size: 150 }, { window: 30_000 }),
    async play(agent) {
      await agent.run([new SystemMessage({ id: "s", content: rule }), new HumanMessage("Read the book.")]);
      return asksStill(agent, rule);
    },
  },
  clearedResults,
];
