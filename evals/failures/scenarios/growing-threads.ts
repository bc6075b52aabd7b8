import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ClearToolUsesEdit, contextEditingMiddleware } from "langchain";
import type { Agent } from "../agents/agent.js";
import { deepAgent } from "../agents/deep-agent.js";
import { langchainAgent } from "../agents/langchain-agent.js";
import type { Scenario } from "../scenario.js";
import { longWork, longWorld } from "../world/long-work.js";
import { providerTokens } from "../world/provider-tokens.js";
import { rows } from "../world/rows.js";
import { call, script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";
import { inDeepAgents, inSummarization } from "./peers.js";
import { asking } from "./asking.js";

const stored = new WeakMap<Agent, readonly number[]>();

/** Does a step late in the thread cost more storage than an early one? */
export const growingState: Scenario = {
  title: "Checkpoints of 80 steps in eight turns",
  ...inDeepAgents,
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

const size = 800_000;

/** A large result is offloaded into the state, and the state is copied at every step. */
export const largeFileInState: Scenario = {
  title: "An 800 KB result, then twelve small steps",
  ...inDeepAgents,
  options: { defaultStorage: true },
  world() {
    const { steps, tools, originals, shown } = longWork({ steps: 12, size: 2 });
    const data = rows("dump", size / 60);
    return {
      tools: [...tools, textTool("dump", () => data.join("\n"))],
      reply: script(call("dump", { page: 0 }), ...steps),
      originals: [...originals, ...data],
      shown: [...shown, data[0] ?? ""],
    };
  },
  play: asking("Dump, then read."),
  async measure(agent) {
    const bytes = agent.storedBytes();
    return { text: `${(bytes / 1e6).toFixed(1)} MB of checkpoints`, sound: bytes < size };
  },
};

/** Each break of the prefix makes the provider read the whole prompt anew, at the full price. */
export const brokenPrefix: Scenario = {
  title: "The prompt prefix over sixty files written, 3 KB each",
  ...inDeepAgents,
  world() {
    const files = Array.from({ length: 60 }, (_, file) => rows(`file${file}`, 50));
    const writes = files.map((lines, file) => {
      const path = `/out/${file}.txt`;
      return call("write_file", { path, file_path: path, content: lines.join("\n") });
    });
    return { reply: script(...writes), originals: files.flat() };
  },
  play: asking("Write sixty files."),
  async measure({ calls }) {
    const prompts = calls.filter(({ purpose }) => purpose === "agent");
    const broken = prompts.filter(({ text }, index) => !text.startsWith(prompts[index - 1]?.text ?? ""));
    return {
      text: `prefix broken on ${broken.length} of ${prompts.length - 1} calls`,
      sound: broken.length === 0,
    };
  },
};

/** Shortening the arguments of a call must leave the message what it was. */
export const truncatedIdentity: Scenario = {
  title: "Ids and usage of messages whose arguments were shortened",
  ...inDeepAgents,
  world: () => ({ ...brokenPrefix.world(), window: 40_000 }),
  play: asking("Write sixty files."),
  async measure({ calls }) {
    const prompts = calls.filter(({ purpose }) => purpose === "agent");
    const said = prompts.flatMap(({ messages }) => messages.filter((message) => message.getType() === "ai"));
    const bare = said.filter(
      (message) => message.id === undefined || usageOf(message as AIMessage) === undefined,
    );
    const text = `${bare.length} of ${said.length} sent answers without id or usage`;
    return { text, sound: bare.length === 0 };
  },
};

function usageOf(message: AIMessage): unknown {
  return message.usage_metadata;
}

const sizes = [2_500, 10_000] as const;
const rounds = 15;

/** Every step looks at the whole thread: what does that look cost as the thread grows? */
export const longThread: Scenario = {
  title: "Looking over a thread of 10,000 messages before the model is called",
  peer: "deepagents patchToolCalls",
  buildPeer: deepAgent,
  // A window in which nothing is due: the calls of the thread alone count as 200,000 tokens.
  world: () => ({ reply: script(), originals: [], window: 1_000_000 }),
  play: asking("Begin."),
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

const turns = 5;
const window = 30_000;

/** What an agent folds inside, the graph that runs it as a node has still: until who owns the messages folds them. */
export const agentInLargerGraph: Scenario = {
  title: "Five turns of an agent that is a node of a larger graph",
  ...inSummarization,
  options: { nested: true },
  world() {
    const { steps, ...work } = longWork({ steps: 8 * turns, size: 100 });
    const said = steps.flatMap((step, at) => (at % 8 === 7 ? [step, new AIMessage(`turn ${at}`)] : [step]));
    return { ...work, reply: script(...said), window };
  },
  async play(agent) {
    for (let turn = 0; turn < turns; turn++) await agent.run([new HumanMessage(`Read on, ${turn}.`)]);
  },
  async measure(agent) {
    const tokens = Math.ceil(providerTokens(await agent.messages()));
    const text = `${tokens.toLocaleString("en")} tokens in the larger graph, whose agent takes ${window.toLocaleString("en")}`;
    return { text, sound: tokens < window };
  },
};

/** With a delta channel a checkpoint holds what was written; what was changed in place is in the running graph alone. */
export const liveAndReloaded: Scenario = {
  title: "What a run returns, and what its checkpoint gives back, with MessagesDeltaValue",
  peer: "langchain contextEditingMiddleware",
  options: { delta: true },
  buildPeer: (world, options) =>
    langchainAgent(
      world,
      () => contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: { tokens: 25_000 } })] }),
      options,
    ),
  world: () => longWorld({ steps: 40 }, { window: 30_000 }),
  play: asking("Read the book."),
  async measure(agent) {
    const reloaded = await agent.messages();
    const live = agent.returned();
    const other = reloaded.filter((message, index) => message.text !== live[index]?.text).length;
    const more = Math.abs(reloaded.length - live.length);
    return {
      text: `${other + more} of ${live.length} messages are others when reloaded`,
      sound: live.length > 0 && other + more === 0,
    };
  },
};
