import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { estimateTokens, toStoredMessage, unfold, withIds } from "@palimpsest/context";
import { originalMessages, soundMessages } from "@palimpsest/context/internal";
import { hostileMessages, type HostileMessage } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent, type AgentMiddleware } from "langchain";
import type { ContextEvent } from "../context-event.js";
import { foldMiddleware } from "../folding/fold-middleware.js";
import { foldNode } from "../folding/fold-node.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { compactionNode } from "../nodes/compaction-node.js";
import {
  maskToolResultsNode,
  offloadLargeToolResultNode,
  summarizeNode,
  truncateToolInputsNode,
} from "../nodes/rung-nodes.js";
import type { GraphNode } from "../nodes/step-node.js";
import { predictiveContextMiddleware } from "../predictive/predictive-context-middleware.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import { filler } from "./history.js";
import { ScriptedModel } from "./scripted-model.js";

/** Tokens of the window, and characters of a huge text: a message of it does not fit. */
export const hostileWindow = 3_000;
export const hugeCharacters = 24_000;

interface Common {
  readonly files: VirtualFilesystem;
  readonly onEvent: (event: ContextEvent) => unknown;
  readonly contextWindow: number;
}

const model = () => new ScriptedModel(() => new AIMessage("## Findings\n- pages"));

/** Every node. A rung alone need not keep a thread inside the window. */
const nodes: Readonly<Record<string, (common: Common) => GraphNode>> = {
  ladder: (common) => compactionNode({ ...common, summaryModel: "none" }),
  "ladder with summaries": (common) => compactionNode({ ...common, model: model() }),
  "ladder with a view": (common) => compactionNode({ ...common, summaryModel: "none", outputKey: "context" }),
  folding: (common) => foldNode({ ...common, summaryModel: "none" }),
  "predictive context": (common) => predictiveContextNode(common),
  "predictive context with a view": (common) => predictiveContextNode({ ...common, outputKey: "context" }),
  PACE: (common) => predictiveContextNode({ ...common, policy: "pace" }),
  "rung: mask": (common) => maskToolResultsNode({ ...common, keepSteps: 1 }),
  "rung: inputs": (common) => truncateToolInputsNode(common),
  "rung: offload": (common) => offloadLargeToolResultNode({ ...common, limits: { offload: 300 } }),
  "rung: summary": (common) => summarizeNode({ ...common, model: model() }),
};

const hooks: Readonly<Record<string, (common: Common) => AgentMiddleware[]>> = {
  "middleware: ladder": (common) => [contextMiddleware({ ...common, summaryModel: "none", fileTools: [] })],
  "middleware: folding": (common) => [
    foldMiddleware({ ...common, summaryModel: "none" }),
    contextMiddleware({ ...common, summaryModel: "none", fileTools: [] }),
  ],
  "middleware: predictive context": (common) => [predictiveContextMiddleware({ ...common, tools: [] })],
};

export const hostileStrategies: readonly string[] = [...Object.keys(nodes), ...Object.keys(hooks)];

/**
 * Plays a thread with a hostile message, and returns what is wrong: prompts over the window without an event, an error, or a
 * thread that does not unfold. Undefined if nothing is.
 */
export async function hostileFault(strategy: string, hostile: HostileMessage): Promise<string | undefined> {
  const events: ContextEvent[] = [];
  const files = VirtualFilesystem.inMemory();
  const common = {
    files,
    contextWindow: hostileWindow,
    onEvent: (event: ContextEvent) => events.push(event),
  };
  try {
    const play = nodes[strategy] === undefined ? playAgent : playNode;
    const { given, prompts, last } = await play(strategy, hostile, common);
    const isOver = prompts.some((prompt) => estimateTokens(prompt) > hostileWindow);
    const failed = events.find((event) => event.type === "context.fail" && event.rung !== "usage");
    if (failed?.type === "context.fail") return `failed: ${failed.rung}: ${String(failed.error)}`;
    const isTold = events.some(({ type }) => type === "context.overflow");
    if (isOver && !isTold && !strategy.startsWith("rung")) return "over the window without an event";
    const opened = await unfold(last, (path) => files.thread("t").archive.readText(path));
    return stored(opened) === stored(given) ? undefined : "does not unfold";
  } catch (error) {
    return `threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
}

/** Returns the faults of one strategy over every `every`-th hostile message, and how many it played. Each strategy plays others. */
export async function faultsOfEvery(
  strategy: string,
  every: number,
): Promise<{ readonly played: number; readonly faults: readonly string[] }> {
  const from = (hostileStrategies.indexOf(strategy) * 23) % every;
  const played = hostileMessages(hugeCharacters).filter((_, index) => index % every === from);
  return { played: played.length, faults: await faultsOf(strategy, played) };
}

/** Returns the faults of one strategy over hostile messages. */
export async function faultsOf(
  strategy: string,
  played: readonly HostileMessage[],
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const hostile of played) {
    const fault = await hostileFault(strategy, hostile);
    if (fault !== undefined) faults.push(`${hostile.name}: ${fault}`);
  }
  return faults;
}

/** With the ids that a node gives to messages without one. */
function stored(messages: readonly BaseMessage[]): string {
  return JSON.stringify(originalMessages(withIds(soundMessages(messages))).map(toStoredMessage));
}

function turn(number: number): readonly BaseMessage[] {
  const id = `c${number}`;
  return [
    new HumanMessage({ id: `u${number}`, content: `Read page ${number}. Never guess.` }),
    new AIMessage({
      id: `a${number}`,
      content: "",
      tool_calls: [{ id, name: "read", args: { number, note: filler(60, number) } }],
    }),
    new ToolMessage({ id: `r${number}`, name: "read", tool_call_id: id, content: filler(350, number) }),
    new AIMessage({
      id: `b${number}`,
      content: `Page ${number} says ${number * 7919}. ${filler(60, number)}`,
    }),
  ];
}

const turns = 9;

interface Played {
  /** The whole thread. */
  readonly given: readonly BaseMessage[];
  readonly prompts: readonly (readonly BaseMessage[])[];
  /** The last prompt. */
  readonly last: readonly BaseMessage[];
}

async function playNode(strategy: string, hostile: HostileMessage, common: Common): Promise<Played> {
  const node = nodes[strategy]?.(common) as GraphNode;
  const given: BaseMessage[] = [];
  const prompts: (readonly BaseMessage[])[] = [];
  let state: Record<string, unknown> = { messages: [], context: [], compaction: {}, files: {} };
  const add = async (messages: readonly BaseMessage[]) => {
    given.push(...messages);
    state = { ...state, messages: [...(state["messages"] as BaseMessage[]), ...messages] };
    const update = await node(state, { configurable: { thread_id: "t" } });
    for (const [key, value] of Object.entries(update)) {
      if (key === "compaction")
        state = { ...state, compaction: { ...(state["compaction"] as object), ...(value as object) } };
      else state = { ...state, [key]: Overwrite.isInstance(value) ? value.value : value };
    }
    const key = strategy.endsWith("view") ? "context" : "messages";
    prompts.push(state[key] as BaseMessage[]);
  };
  for (let number = 0; number < turns; number++) {
    const [user, call, result, reply] = turn(number) as [BaseMessage, BaseMessage, BaseMessage, BaseMessage];
    await add(number === 2 ? [...hostile.build("x"), user] : [user]);
    await add([call, result]);
    await add([reply]);
  }
  return { given, prompts, last: prompts.at(-1) ?? [] };
}

async function playAgent(strategy: string, hostile: HostileMessage, common: Common): Promise<Played> {
  const agentModel = new ScriptedModel(() => new AIMessage({ id: "end", content: "Done." }));
  const agent = createAgent({ model: agentModel, tools: [], middleware: hooks[strategy]?.(common) ?? [] });
  const given = Array.from({ length: turns }, (_, number) => turn(number)).flat();
  given.splice(8, 0, ...hostile.build("x"));
  given.push(new HumanMessage({ id: "now", content: "And now?" }));
  const { messages } = await agent.invoke({ messages: [...given] }, { configurable: { thread_id: "t" } });
  const sent = agentModel.prompts.map((prompt) =>
    prompt.filter((message) => message.getType() !== "system" || given.includes(message)),
  );
  return { given: [...given, messages.at(-1) as BaseMessage], prompts: sent, last: messages };
}
