import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { madeStep } from "../../data/made/made-step.js";
import type { Agent } from "../agents/agent.js";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork, longWorld, rows, textTool } from "../world/made-work.js";
import { call, script } from "../world/script.js";
import { providerTokens } from "../world/world-model.js";
import type { World } from "../world/world.js";
import {
  asking,
  checkpointsBelow,
  inClearing,
  inDeepAgents,
  inSummarization,
  promptsOf,
  readOn,
} from "./parts.js";

/** Returns a long work in turns of so many steps, the last of which is the agent's answer beside a further call. */
function inTurns(turns: number, steps: number, size: number): Omit<World, "window"> {
  const work = longWork({ steps: turns * steps, size });
  const said = work.steps.flatMap((step, at) =>
    at % steps === steps - 1 ? [step, new AIMessage(`turn ${at}`)] : [step],
  );
  return { ...work, reply: script(...said) };
}

const files = Array.from({ length: 60 }, (_, file) => rows(`file${file}`, 50));

function sixtyFiles(): World {
  const writes = files.map((lines, file) => {
    const path = `/out/${file}.txt`;
    return call("write_file", { path, file_path: path, content: lines.join("\n") });
  });
  return { reply: script(...writes), originals: files.flat() };
}

/** Returns the milliseconds of processor time of the fastest of several looks: what else goes on only adds to it. */
async function fastestLook(agent: Agent, size: number): Promise<number> {
  const messages = pagesRead(size);
  const times: number[] = [];
  for (let round = 0; round < 15; round++) {
    const start = process.cpuUsage();
    await agent.prepare(messages);
    const { user, system } = process.cpuUsage(start);
    times.push(Math.max(1, user + system) / 1_000);
  }
  return Math.min(...times);
}

function pagesRead(size: number): readonly BaseMessage[] {
  const steps = Array.from({ length: (size - 1) / 2 }, (_, step) =>
    madeStep({ id: step, said: "", name: "read", args: { page: step }, result: `Page ${step}.` }),
  );
  return [new HumanMessage({ id: "q", content: "Read." }), ...steps.flat()];
}

/** What a long thread costs, and what becomes of it where it is stored, sent and read again. */
export const growingThreads: readonly Scenario[] = [
  {
    // Does a step late in the thread cost more storage than an early one?
    title: "Checkpoints of 80 steps in eight turns",
    ...inDeepAgents,
    world: () => ({ ...inTurns(8, 10, 60), window: 12_000 }),
    async play(agent) {
      const sizes = [0];
      for (let turn = 0; turn < 8; turn++) {
        await readOn(agent, [turn]);
        sizes.push(agent.storedBytes());
      }
      const cost = (turn: number) => (sizes[turn] ?? 0) - (sizes[turn - 1] ?? 0);
      const growth = cost(8) / cost(4);
      const { text } = checkpointsBelow(agent, Infinity);
      return {
        text: `${text}; the eighth turn costs ${growth.toFixed(1)} times the fourth`,
        sound: growth < 1.5,
      };
    },
  },
  {
    // A large result is offloaded into the state, and the state is copied at every step.
    title: "An 800 KB result, then twelve small steps",
    ...inDeepAgents,
    options: { defaultStorage: true },
    world() {
      const { steps, tools, originals, shown } = longWork({ steps: 12, size: 2 });
      const data = rows("dump", 800_000 / 60);
      return {
        tools: [...tools, textTool("dump", () => data.join("\n"))],
        reply: script(call("dump", { page: 0 }), ...steps),
        originals: [...originals, ...data],
        shown: [...shown, data[0] ?? ""],
      };
    },
    play: asking("Dump, then read.", async (agent) => checkpointsBelow(agent, 800_000)),
  },
  {
    // Each break of the prefix makes the provider read the whole prompt anew, at the full price.
    title: "The prompt prefix over sixty files written, 3 KB each",
    ...inDeepAgents,
    world: sixtyFiles,
    play: asking("Write sixty files.", async (agent) => {
      const prompts = promptsOf(agent).map(({ text }) => text);
      const broken = prompts.filter((text, index) => !text.startsWith(prompts[index - 1] ?? "")).length;
      return { text: `prefix broken on ${broken} of ${prompts.length - 1} calls`, sound: broken === 0 };
    }),
  },
  {
    // Shortening the arguments of a call must leave the message what it was.
    title: "Ids and usage of messages whose arguments were shortened",
    ...inDeepAgents,
    world: () => ({ ...sixtyFiles(), window: 40_000 }),
    play: asking("Write sixty files.", async (agent) => {
      const said = promptsOf(agent).flatMap(({ messages }) =>
        messages.filter((message) => AIMessage.isInstance(message)),
      );
      const bare = said.filter((message) => message.id === undefined || message.usage_metadata === undefined);
      const text = `${bare.length} of ${said.length} sent answers without id or usage`;
      return { text, sound: bare.length === 0 };
    }),
  },
  {
    // Every step looks at the whole thread: what does that look cost as the thread grows?
    title: "Looking over a thread of 10,000 messages before the model is called",
    peer: "deepagents patchToolCalls",
    buildPeer: deepAgent,
    // A window in which nothing is due: the calls of the thread alone count as 200,000 tokens.
    world: () => ({ reply: script(), originals: [], window: 1_000_000 }),
    play: asking("Begin.", async (agent) => {
      const [small, large] = [await fastestLook(agent, 2_500), await fastestLook(agent, 10_000)];
      // Linear is 4, quadratic is 16.
      const growth = large / small;
      const text = `${large.toFixed(1)} ms of processor time; four times the messages take ${growth.toFixed(1)} times as long`;
      return { text, sound: large < 10 || growth < 10 };
    }),
  },
  {
    // What an agent folds inside, the graph that runs it as a node has still: until who owns the messages folds them.
    title: "Five turns of an agent that is a node of a larger graph",
    ...inSummarization,
    options: { nested: true },
    world: () => ({ ...inTurns(5, 8, 100), window: 30_000 }),
    async play(agent) {
      await readOn(agent, [0, 1, 2, 3, 4]);
      const tokens = Math.ceil(providerTokens(await agent.messages()));
      const text = `${tokens.toLocaleString("en")} tokens in the larger graph, whose agent takes 30,000`;
      return { text, sound: tokens < 30_000 };
    },
  },
  {
    // With a delta channel a checkpoint holds what was written; what was changed in place is in the running graph alone.
    title: "What a run returns, and what its checkpoint gives back, with MessagesDeltaValue",
    ...inClearing,
    options: { delta: true },
    world: () => longWorld({ steps: 40 }, { window: 30_000 }),
    play: asking("Read the book.", async (agent) => {
      const [live, reloaded] = [agent.returned(), await agent.messages()];
      const other = reloaded.filter((message, index) => message.text !== live[index]?.text).length;
      const changed = other + Math.abs(reloaded.length - live.length);
      const text = `${changed} of ${live.length} messages are others when reloaded`;
      return { text, sound: live.length > 0 && changed === 0 };
    }),
  },
];
