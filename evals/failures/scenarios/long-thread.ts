import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { Agent } from "../agents/agent.js";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { script } from "../world/script.js";

const sizes = [2_500, 10_000] as const;
const rounds = 15;

/** Every step looks at the whole thread: what does that look cost as the thread grows? */
export const longThread: Scenario = {
  title: "Looking over a thread of 10,000 messages before the model is called",
  peer: "deepagents patchToolCalls",
  buildPeer: deepAgent,
  // A window in which nothing is due: the calls of the thread alone count as 200,000 tokens.
  world: () => ({ reply: script(), originals: [], window: 1_000_000 }),
  play: (agent) => agent.run([new HumanMessage("Begin.")]),
  async measure(agent) {
    const [small, large] = [await fastest(agent, sizes[0]), await fastest(agent, sizes[1])];
    // Linear is 4, quadratic is 16.
    const growth = large / small;
    const text = `${large.toFixed(1)} ms of processor time; four times the messages take ${growth.toFixed(1)} times as long`;
    return { text, sound: large < 10 || growth < 10 };
  },
};

/** Returns the milliseconds of processor time of the fastest of several runs: what else goes on only adds to it. */
async function fastest(agent: Agent, size: number): Promise<number> {
  const messages = thread(size);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage();
    await agent.prepare(messages);
    const { user, system } = process.cpuUsage(start);
    times.push(Math.max(1, user + system) / 1_000);
  }
  return Math.min(...times);
}

function thread(size: number): readonly BaseMessage[] {
  const steps = Array.from({ length: (size - 1) / 2 }, (_, step) => {
    const call = { id: `call-${step}`, name: "read", args: { page: step } };
    return [
      new AIMessage({ id: `a${step}`, content: "", tool_calls: [call] }),
      new ToolMessage({ id: `t${step}`, tool_call_id: call.id, name: call.name, content: `Page ${step}.` }),
    ];
  });
  return [new HumanMessage({ id: "q", content: "Read." }), ...steps.flat()];
}
