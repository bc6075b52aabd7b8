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

const routes = { to: text, otherwise: text };
/** Tools and backends: a host passes the options of its node, whichever that is. */
const tool = {
  ...predictive,
  ...shared,
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

/** The options that each function accepts. */
const accepted = {
  compactionNode: ladder,
  withCompaction: ladder,
  overflowErrorHandler: ladder,
  offloadLargeToolResultNode: ladder,
  truncateToolInputsNode: ladder,
  summarizeWithFilesystemPreservationNode: ladder,
  maskToolResultsNode: { ...ladder, keepSteps: number },
  foldNode: shared,
  foldContextTool: shared,
  foldView: { ...shared, systemMessages: oneOf("three", "one") },
  compressContextTool: shared,
  offloadTools: shared,
  compactionCondition: { ...shared, ...routes },
  safetyNetCondition: { ...without(shared, "trigger"), ...routes, threshold: number },
  overflowCondition: {
    ...shared,
    to: text,
    otherwise: callback("(state) => string, such as toolsCondition"),
  },
  contextMiddleware: inAgent(ladder),
  foldMiddleware: inAgent(shared),
  predictiveContextNode: predictive,
  predictiveContextMiddleware: { ...without(predictive, "inputKey", "outputKey"), tools: list },
  explainContext: predictive,
  fileTools: tool,
  unfoldTool: tool,
  glimpseTool: tool,
  archiveBackend: tool,
  searchHistoryTool: { ...tool, index: indexField },
  compactThread: { ...shared, ...thread, strategy: oneOf("summarize", "archive"), above: text },
  previewThread: { ...shared, request: object },
  previewCompaction: { ...shared, request: object, compaction: anything },
  unfoldThread: { ...shared, ...thread, fold: text, levels: number, force: flag },
  readThread: { ...predictive, ...shared, onDamage: callback("(damaged) => void") },
  /** What the option `settings` returns. */
  settings: {
    contextWindow: ladder.contextWindow,
    trigger: ladder.trigger,
    keep: ladder.keep,
    limits: ladder.limits,
  },
  ScopeMemory: {
    files: filesField,
    scope: fields.scope,
    index: once(() => indexField().optional()),
    model,
    noteTokens: number,
    onError: callback("(error) => void"),
  },
  memoryMiddleware: { memory: fields.memory, onError: callback("(error) => void") },
  consolidateNode: { memory: fields.memory, inputKey: key },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Field>>>>;

/** A function that takes options. */
export type AcceptingFunction = keyof typeof accepted;

const ofThread = "graph, config, ";

/** The arguments before the options. */
const argumentsBefore: Partial<Record<AcceptingFunction, string>> = {
  withCompaction: "callModel, ",
  offloadTools: "tools, ",
  previewCompaction: "messages, ",
  compactThread: ofThread,
  explainContext: ofThread,
  previewThread: ofThread,
  readThread: ofThread,
  unfoldThread: ofThread,
};

/** Returns a minimal call of a function, for an error message. */
export function exampleCall(name: AcceptingFunction): string {
  return `${name}(${argumentsBefore[name] ?? ""}{ files })`;
}

const schemas = new Map<object, z.ZodObject>();

/** Returns the schema of the options of a function. Schemas are made on first use, so that the import is fast. */
export function schemaOf(name: AcceptingFunction): z.ZodObject {
  const options: Readonly<Record<string, Field>> = accepted[name];
  const made = () =>
    z.strictObject(Object.fromEntries(Object.entries(options).map(([option, field]) => [option, field()])));
  const schema = schemas.get(options) ?? made();
  schemas.set(options, schema);
  return schema;
}
