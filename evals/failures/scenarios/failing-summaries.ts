import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { Scenario } from "../scenario.js";
import { longWork, longWorld, rows, textTool } from "../world/made-work.js";
import { script } from "../world/script.js";
import type { World } from "../world/world.js";
import { asking, inDeepAgents, inSummarization, promptsOf, readOn, summariesOf } from "./parts.js";

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

const threeTurns = [1, 2, 3];
const formula = "cost $& each, paid $' twice, total $$ 40.";

/** What becomes of a run whose summaries fail, are read by the user, or are written from less than they replace. */
export const failingSummaries: readonly Scenario[] = [
  {
    title: "The summarizer fails on every one of three turns",
    ...inDeepAgents,
    world: downSummarizer,
    play: (agent) => readOn(agent, threeTurns),
  },
  {
    title: "The summarizer fails: what stands for the history?",
    ...inSummarization,
    world: downSummarizer,
    async play(agent) {
      await readOn(agent, threeTurns);
      const told = promptsOf(agent).at(-1)?.text.includes("key has expired") === true;
      return { text: `the error text is ${told ? "" : "not "}in the prompt`, sound: !told };
    },
  },
  {
    // The provider is down three times, right after a summary was paid for; the user asks again each time.
    title: "The model fails three times right after a summary",
    ...inDeepAgents,
    world() {
      const { reply, ...world } = longWorld({ steps: 15, size: 150 }, { window: 30_000 });
      let failures = 0;
      return {
        ...world,
        reply(prompt, call) {
          const compacted = prompt.some(({ additional_kwargs: kwargs }) => kwargs["lc_source"] !== undefined);
          if (compacted && failures++ < 3) throw new Error("503 service unavailable");
          return reply(prompt, call);
        },
      };
    },
    async play(agent, { originals: [first = ""] }) {
      await agent.run([new HumanMessage("Read the book.")]);
      for (let again = 0; again < 3; again++) await agent.run([new HumanMessage("Go on.")]);
      const histories = [...(await agent.files())].filter(([path]) => path.endsWith(".md"));
      const copies = histories.reduce((sum, [, text]) => sum + text.split(first).length - 1, 0);
      return { text: `copies of the first result in the history: ${copies}`, sound: copies === 1 };
    },
  },
  {
    // One pasted text is longer than what the summarizer can read; nobody has said what the model takes.
    title: "A pasted text of 100 KB, to a model that takes 20,000 tokens and does not say so",
    ...inDeepAgents,
    world: () => ({ reply: script(), originals: rows("paste", 1_650), limit: 20_000 }),
    play: (agent, { originals }) =>
      agent.run([new HumanMessage(`What is in this?\n${originals.join("\n")}`)]),
  },
  {
    title: "`$&` and the like in what is summarized",
    ...inSummarization,
    world() {
      const { steps, originals, shown } = longWork({ steps: 12, size: 20 });
      const page = (at: number) => [formula, ...originals.slice(at * 20, at * 20 + 20)].join("\n");
      return {
        tools: [textTool("book", page)],
        originals: [...originals, formula],
        shown,
        reply: script(...steps),
        window: 3_800,
      };
    },
    play: asking("Read the book.", async (agent) => {
      const asked = summariesOf(agent);
      const whole = asked.filter(({ text }) => text.includes(formula)).length;
      const text = `${whole} of ${asked.length} questions to the summarizer hold the text as it was`;
      return { text, sound: asked.length > 0 && whole === asked.length };
    }),
  },
  {
    // How much of what a summary replaces was its writer given to read?
    title: "What the summarizer of 85,000 tokens is given to read",
    ...inSummarization,
    world: () => longWorld({ steps: 14, size: 500 }, { window: 100_000 }),
    play: asking("Read the book.", async (agent, { shown = [] }) => {
      const last = promptsOf(agent).at(-1)?.text ?? "";
      const read = summariesOf(agent)
        .map(({ text }) => text)
        .join("\n");
      const gone = shown.filter((head) => !last.includes(head));
      const known = gone.filter((head) => read.includes(head)).length;
      const text = `${known} of ${gone.length} pages that left the context were read by the summarizer`;
      return { text, sound: known === gone.length };
    }),
  },
  {
    // A user watches the answer being written.
    title: "The message stream of a run with a summary",
    ...inDeepAgents,
    world: () => longWorld({ steps: 15, size: 150 }, { window: 30_000 }),
    async play(agent) {
      const stream = await agent.watch([new HumanMessage("Read the book.")]);
      const leaked = stream.split("Summary number").length - 1;
      return { text: `summaries in the user's stream: ${leaked}`, sound: leaked === 0 };
    },
  },
];
