import { once } from "@palimpsest/context/internal";
import { z } from "zod";
import {
  callback,
  fields,
  filesField,
  indexField,
  intervalField,
  laneField,
  limits,
  oneOf,
  sizes,
  type Field,
} from "./fields.js";
import type { Surface } from "./parse-options.js";

const { number, text, key, flag, names, list, object, anything, model } = fields;

/** Options of the nodes, conditions, tools and middleware of the ladder. */
const ladder = {
  files: filesField,
  model,
  summaryModel: fields.summaryModel,
  contextWindow: number,
  trigger: sizes("fraction", "tokens", "messages"),
  keep: sizes("fraction", "tokens", "messages", "turns"),
  agentControlled: flag,
  agentTrigger: sizes("fraction", "tokens", "messages"),
  budgetLevel: callback('(config) => "normal", "fallback" or "exhausted"'),
  settings: callback("(config) => ({ contextWindow, trigger, keep, limits })"),
  prepareAt: number,
  planner: fields.planner,
  tokenCounter: callback("(messages) => number, or a promise of one"),
  summaryPrompt: text,
  pin: callback("(message) => boolean"),
  pinTools: names,
  pinFiles: names,
  minMessages: number,
  limits: limits(),
  importance: callback("(messages) => number[]"),
  markers: anything,
  lane: laneField,
  inputKey: key,
  outputKey: key,
  keepThread: flag,
  systemPrompt: text,
  tools: list,
  excludeTools: names,
  onError: oneOf("continue", "throw"),
  onEvent: callback("(event) => void"),
  driftCalls: number,
} as const;

/** Names of the options of the ladder; a type test checks that none is missing. */
export type LadderOption = keyof typeof ladder;

/** The same with folding. A host may pass one object to a node and to the tools and conditions beside it, so they accept all. */
const shared = {
  ...ladder,
  condense: oneOf("every-step", "on-directive"),
  microTokens: number,
  macroTokens: number,
  recentBlocks: number,
  blockTokens: number,
  deadEndSteps: number,
  minConfidence: number,
  regret: flag,
  every: intervalField,
} as const;

const predictive = {
  files: filesField,
  budget: number,
  contextWindow: number,
  policy: oneOf("reuse", "pace"),
  targetFraction: number,
  from: oneOf("start", "budget"),
  every: intervalField,
  wholeSteps: number,
  tokenCounter: ladder.tokenCounter,
  pin: ladder.pin,
  pinTools: names,
  pinFiles: names,
  limits: limits("pinnedFiles", "summaryMs"),
  inputKey: key,
  outputKey: key,
  keepThread: flag,
  candidateTokens: number,
  cacheTokens: number,
  model,
  summaryModel: model,
  summaryConcurrency: number,
  onError: ladder.onError,
  onEvent: ladder.onEvent,
  driftCalls: number,
  embeddings: anything,
  encoderId: anything,
  encoderTimeoutMs: number,
  encoderBatch: number,
  encodedCharacters: number,
  maxSteps: number,
  temperature: number,
  pressureGain: number,
  thresholds: object,
  formCharacters: object,
  candidateSteps: number,
} as const;

/** What `settings` may return. */
const run = {
  contextWindow: ladder.contextWindow,
  trigger: ladder.trigger,
  keep: ladder.keep,
  limits: ladder.limits,
} as const;

const routes = { to: text, otherwise: text };
const tool = {
  resultCharacters: number,
  searchTimeLimit: number,
  glimpses: number,
  memory: once(() => fields.memory().optional()),
};
const thread = { asNode: text };

function without(all: Readonly<Record<string, Field>>, ...left: readonly string[]) {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !left.includes(name)));
}

/** The options of a middleware: the agent has the state keys, the system prompt and the tools. */
function inAgent(all: Readonly<Record<string, Field>>) {
  const host = oneOf("createAgent", "deepagents");
  const own = { fileTools: list, host, handleToolErrors: flag };
  return { ...without(all, "inputKey", "outputKey", "tools"), ...own };
}

/** The options of each kind of function. */
const kinds = {
  node: ladder,
  mask: { ...ladder, keepSteps: number },
  fold: shared,
  condition: { ...shared, ...routes },
  safetyNet: { ...without(shared, "trigger"), ...routes, threshold: number },
  overflowRoute: { ...shared, to: text, otherwise: callback("(state) => string, such as toolsCondition") },
  middleware: inAgent(ladder),
  foldMiddleware: inAgent(shared),
  foldView: { ...shared, systemMessages: oneOf("three", "one") },
  predictive,
  predictiveMiddleware: { ...without(predictive, "inputKey", "outputKey"), tools: list },
  tool: { ...predictive, ...shared, ...tool },
  search: { ...predictive, ...shared, ...tool, index: indexField },
  compactThread: { ...shared, ...thread, strategy: oneOf("summarize", "archive"), above: text },
  previewThread: { ...shared, request: object },
  previewCompaction: { ...shared, request: object, compaction: anything },
  unfoldThread: { ...shared, ...thread, fold: text, levels: number, force: flag },
  settings: run,
  readThread: { ...predictive, ...shared, onDamage: callback("(damaged) => void") },
  scopeMemory: {
    files: filesField,
    scope: fields.scope,
    index: once(() => indexField().optional()),
    model,
    noteTokens: number,
    onError: callback("(error) => void"),
  },
  memoryMiddleware: { memory: fields.memory, onError: callback("(error) => void") },
  consolidateNode: { memory: fields.memory, inputKey: key },
} as const;

const schemas = new Map<keyof typeof kinds, z.ZodObject>();

/**
 * Returns the options of the function `name`, after the arguments `before`. Schemas are made on first use, so that the import
 * is fast.
 */
export function surface(name: string, kind: keyof typeof kinds, before = ""): Surface {
  const schema = schemas.get(kind) ?? schemaOf(kinds[kind]);
  schemas.set(kind, schema);
  return { name, schema, example: `${name}(${before}{ files })` };
}

function schemaOf(options: Readonly<Record<string, Field>>): z.ZodObject {
  return z.strictObject(Object.fromEntries(Object.entries(options).map(([name, field]) => [name, field()])));
}
