import { HumanMessage, AIMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Agent } from "../agents/agent.js";
import type { Scenario } from "../scenario.js";
import { longWork } from "../world/long-work.js";
import { script } from "../world/script.js";

const stored = new WeakMap<Agent, readonly number[]>();

/** Does a step late in the thread cost more storage than an early one? */
export const growingState: Scenario = {
  title: "Checkpoints of 80 steps in eight turns",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const { steps, ...work } = longWork({ steps: 80, size: 60 });
    const turns = steps.flatMap((step, index) =>
      index % 10 === 9 ? [step, new AIMessage(`turn ${index}`)] : [step],
    );
    return { ...work, reply: script(...turns), window: 12_000 };
  },
  async play(agent) {
    const sizes = [0];
    for (let turn = 0; turn < 8; turn++) {
      await agent.run([new HumanMessage(`Read on, ${turn}.`)]);
      sizes.push(agent.storedBytes());
    }
    stored.set(agent, sizes);
  },
  async measure(agent) {
    const sizes = stored.get(agent) ?? [];
    const cost = (turn: number) => (sizes[turn] ?? 0) - (sizes[turn - 1] ?? 0);
    const growth = cost(8) / cost(4);
    const megabytes = ((sizes[8] ?? 0) / 1e6).toFixed(1);
    const text = `${megabytes} MB of checkpoints; the eighth turn costs ${growth.toFixed(1)} times the fourth`;
    return { text, sound: growth < 1.5 };
  },
};
