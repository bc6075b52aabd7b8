import { HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";

/** The provider is down three times, right after a summary was paid for; the user asks again each time. */
export const modelFailsAfterSummary: Scenario = {
  title: "The model fails three times right after a summary",
  peer: "deepagents",
  buildPeer: deepAgent,
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
