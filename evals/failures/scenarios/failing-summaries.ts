import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { Agent } from "../agents/agent.js";
import type { Scenario } from "../scenario.js";
import { longWork, longWorld } from "../world/long-work.js";
import { rows } from "../world/rows.js";
import { script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";
import type { World } from "../world/world.js";
import { inDeepAgents, inSummarization } from "./peers.js";
import { asking } from "./asking.js";

/** Returns a world in which no summary ever comes, and three turns of which the first fills the window. */
function downSummarizer(): World {
  const { steps, ...work } = longWork({ steps: 16, size: 150 });
  const turns = [...steps.slice(0, 12), new AIMessage("one"), ...steps.slice(12, 14), new AIMessage("two")];
  return {
    ...work,
    window: 30_000,
    reply: script(...turns, ...steps.slice(14)),
    summarize() {
      throw new Error("401 the summarizer's key has expired");
    },
  };
}

/** Plays three turns in one thread, whatever becomes of each. */
async function threeTurns(agent: Agent, ask: (turn: number) => HumanMessage): Promise<void> {
  for (const turn of [1, 2, 3]) await agent.run([ask(turn)]);
}

export const summarizerDown: Scenario = {
  title: "The summarizer fails on every one of three turns",
  ...inDeepAgents,
  world: () => downSummarizer(),
  play: (agent) => threeTurns(agent, (turn) => new HumanMessage(`Read on, ${turn}.`)),
};

/** The provider is down three times, right after a summary was paid for; the user asks again each time. */
export const modelFailsAfterSummary: Scenario = {
  title: "The model fails three times right after a summary",
  ...inDeepAgents,
  world() {
    const { steps, ...work } = longWork({ steps: 15, size: 150 });
    const next = script(...steps);
    let failures = 0;
    return {
      ...work,
      window: 30_000,
      reply(prompt, call) {
        const compacted = prompt.some(({ additional_kwargs: kwargs }) => kwargs["lc_source"] !== undefined);
        if (compacted && failures++ < 3) throw new Error("503 service unavailable");
        return next(prompt, call);
      },
    };
  },
  async play(agent) {
    await agent.run([new HumanMessage("Read the book.")]);
    for (let again = 0; again < 3; again++) await agent.run([new HumanMessage("Go on.")]);
  },
  async measure(agent, { originals: [first = ""] }) {
    const histories = [...(await agent.files())].filter(([path]) => path.endsWith(".md"));
    const copies = histories.reduce((sum, [, text]) => sum + text.split(first).length - 1, 0);
    return { text: `copies of the first result in the history: ${copies}`, sound: copies === 1 };
  },
};

/** One pasted text is longer than what the summarizer can read; nobody has said what the model takes. */
export const summarizerWindow: Scenario = {
  title: "A pasted text of 100 KB, to a model that takes 20,000 tokens and does not say so",
  ...inDeepAgents,
  world: () => ({ reply: script(), originals: rows("paste", 1_650), limit: 20_000 }),
  play: (agent, { originals }) => agent.run([new HumanMessage(`What is in this?\n${originals.join("\n")}`)]),
};

const formula = "cost $& each, paid $' twice, total $$ 40.";

export const patternsInSummary: Scenario = {
  title: "`$&` and the like in what is summarized",
  ...inSummarization,
  world() {
    const { steps, originals, shown } = longWork({ steps: 12, size: 20 });
    return {
      tools: [
        textTool("book", (page) => [formula, ...originals.slice(page * 20, page * 20 + 20)].join("\n")),
      ],
      originals: [...originals, formula],
      shown,
      reply: script(...steps),
      window: 3_800,
    };
  },
  play: asking("Read the book."),
  async measure({ calls }) {
    const asked = calls.filter(({ purpose }) => purpose === "summary");
    const whole = asked.filter(({ text }) => text.includes(formula)).length;
    const text = `${whole} of ${asked.length} questions to the summarizer hold the text as it was`;
    return { text, sound: asked.length > 0 && whole === asked.length };
  },
};

/** How much of what a summary replaces was its writer given to read? */
export const summaryCoverage: Scenario = {
  title: "What the summarizer of 85,000 tokens is given to read",
  ...inSummarization,
  world: () => longWorld({ steps: 14, size: 500 }, { window: 100_000 }),
  play: asking("Read the book."),
  async measure({ calls }, { shown = [] }) {
    const last = calls.findLast(({ purpose }) => purpose === "agent")?.text ?? "";
    const read = calls
      .filter(({ purpose }) => purpose === "summary")
      .map(({ text }) => text)
      .join("\n");
    const gone = shown.filter((head) => !last.includes(head));
    const known = gone.filter((head) => read.includes(head)).length;
    const text = `${known} of ${gone.length} pages that left the context were read by the summarizer`;
    return { text, sound: known === gone.length };
  },
};

const watched = new WeakMap<Agent, string>();

/** A user watches the answer being written. */
export const summaryInStream: Scenario = {
  title: "The message stream of a run with a summary",
  ...inDeepAgents,
  world: () => longWorld({ steps: 15, size: 150 }, { window: 30_000 }),
  async play(agent) {
    watched.set(agent, await agent.watch([new HumanMessage("Read the book.")]));
  },
  async measure(agent) {
    const leaked = (watched.get(agent) ?? "").split("Summary number").length - 1;
    return { text: `summaries in the user's stream: ${leaked}`, sound: leaked === 0 };
  },
};

export const errorAsHistory: Scenario = {
  title: "The summarizer fails: what stands for the history?",
  ...inSummarization,
  world: downSummarizer,
  play: (agent) => threeTurns(agent, (turn) => new HumanMessage(`Read on, ${turn}.`)),
  async measure({ calls }) {
    const last = calls.findLast(({ purpose }) => purpose === "agent")?.text ?? "";
    const told = last.includes("key has expired");
    return { text: `the error text is ${told ? "" : "not "}in the prompt`, sound: !told };
  },
};
