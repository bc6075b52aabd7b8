import { AIMessage } from "@langchain/core/messages";
import { tfIdfImportance } from "@palimpsest/context";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import {
  compactionCondition,
  compactionNode,
  foldNode,
  maskToolResultsNode,
  offloadLargeToolResultNode,
  offloadTools,
  overflowErrorHandler,
  predictiveContextNode,
  summarizeNode,
  truncateToolInputsNode,
  withCompaction,
  type ContextEvent,
  type ContextOptions,
  type FoldOptions,
  type GraphNode,
  type PredictiveContextOptions,
} from "@palimpsest/langgraph";
import {
  contextMiddleware,
  foldMiddleware,
  predictiveContextMiddleware,
} from "@palimpsest/langgraph/middleware";
import type { Family, Parts } from "./play-host.js";
import type { Settings } from "./script.js";
import { isPinned } from "./texts.js";

/** What a strategy is built with. */
export interface Given {
  readonly settings: Settings;
  readonly files: VirtualFilesystem;
  readonly onEvent: (event: ContextEvent) => void;
}

/** One way to use the package. */
export interface Strategy {
  readonly name: string;
  readonly family: Family;
  readonly parts: (given: Given) => Parts;
  /** Limit of the messages of a prompt, as a share of the window; none for a single rung. */
  readonly limit?: number;
  /** Pins that its options offer. */
  readonly pins: "all" | "predicate";
  /** A process remembers what it has archived, and does not archive it again. */
  readonly remembersArchive?: true;
  /** The messages of the state stay whole. */
  readonly keepsThread?: true;
  /** It runs once a turn, before an agent whose calls it does not see. */
  readonly isOutside?: true;
  /** It sends what was written in the background until then, so that prompts after restarts are others. */
  readonly isTimed?: true;
}

const summarizer = { invoke: async () => new AIMessage("## Findings\n- something was found") };
const vectorOf = (text: string) => [text.length % 7, text.length % 11, 1];
const encoder = {
  embedDocuments: async (texts: string[]) => texts.map(vectorOf),
  embedQuery: async (text: string) => vectorOf(text),
};

function pinsOf({ pins }: Settings): Pick<ContextOptions, "pin" | "pinTools" | "pinFiles"> {
  if (pins === "tools") return { pinTools: ["read_rules"] };
  if (pins === "files") return { pinFiles: ["/AGENTS.md"] };
  const settings = { pins } as Settings;
  return pins === "predicate" || pins === "user" ? { pin: (message) => isPinned(message, settings) } : {};
}

function ladder({ settings, files, onEvent }: Given): ContextOptions {
  const { window, summaries } = settings;
  return {
    files,
    onEvent,
    contextWindow: window,
    limits: { offload: Math.floor(window / 5), pinnedFiles: window / 4 },
    ...pinsOf(settings),
    summaryModel: summaries === "written" ? summarizer : "none",
  };
}

function folding(given: Given): FoldOptions {
  return { ...ladder(given), blockTokens: Math.floor(given.settings.window / 6), recentBlocks: 2 };
}

function predictive({ settings, files, onEvent }: Given): PredictiveContextOptions {
  const { pin } = pinsOf(settings);
  return { files, onEvent, budget: settings.window / 2, ...(pin === undefined ? {} : { pin }) };
}

/** Returns the options of a middleware. Its tools are left out: the control has none. */
function agent(given: Given) {
  return { ...ladder(given), fileTools: [] };
}

type Entry = Omit<Strategy, "name">;
type View = { readonly outputKey?: string };
const half = { limit: 0.5, pins: "predicate" as const, remembersArchive: true as const };

/** A graph of nodes, with a channel of its own for the context where `view` names one. */
function graphOf(make: (given: Given) => Parts, view: View = {}): Entry {
  const parts = (given: Given) => ({
    onError: overflowErrorHandler({ ...ladder(given), ...view }),
    ...make(given),
    ...view,
  });
  return { family: "graph", parts, limit: 1, pins: "all" };
}

function nodeWith(more: Partial<ContextOptions> = {}, view: View = {}): Entry {
  return graphOf((given) => ({ node: compactionNode({ ...ladder(given), ...more, ...view }) }), view);
}

function foldWith(more: Partial<FoldOptions> = {}, view: View = {}): Entry {
  return graphOf((given) => ({ node: foldNode({ ...folding(given), ...more, ...view }) }), view);
}

function predictiveWith(more: Partial<PredictiveContextOptions> = {}, view: View = {}): Entry {
  const node = (given: Given) => predictiveContextNode({ ...predictive(given), ...more, ...view });
  return { ...graphOf((given) => ({ node: node(given) }), view), ...half };
}

/** A graph in which one rung runs alone, so that nothing limits its prompts. */
function rungOf(make: (options: ContextOptions) => GraphNode): Entry {
  const { limit: _, ...entry } = graphOf((given) => ({ node: make(ladder(given)) }));
  return entry;
}

function callWith(more: object = {}): Entry {
  const parts = (given: Given): Parts => ({
    wrapModel: (callModel) => withCompaction(callModel, { ...ladder(given), ...more }) as typeof callModel,
    ...more,
  });
  return { family: "graph", parts, limit: 1, pins: "all" };
}

function agentWith(make: (given: Given) => readonly unknown[], family: Family = "agent"): Entry {
  return { family, parts: (given) => ({ middleware: make(given) as never }), limit: 1, pins: "all" };
}

const view = { outputKey: "context" };
const inContext = (given: Given) => [contextMiddleware(agent(given))];
const predicting = (given: Given) => [predictiveContextMiddleware({ ...predictive(given), tools: [] })];

const entries: Readonly<Record<string, Entry>> = {
  compactionNode: nodeWith(),
  "compactionNode behind compactionCondition": graphOf((given) => ({
    node: compactionNode(ladder(given)),
    condition: compactionCondition(ladder(given)),
  })),
  "compactionNode as a view": nodeWith({}, view),
  "compactionNode with importance, markers and two sizes to keep": nodeWith({
    importance: tfIdfImportance,
    markers: { task: "complex" },
    keep: [{ turns: 2 }, { fraction: 0.2 }],
  }),
  "compactionNode with a planner": nodeWith({
    planner: { cache: "typical", remainingSteps: 40, rereadTokens: 0, now: () => 0 },
  }),
  "compactionNode with an exhausted budget": nodeWith({ budgetLevel: () => "exhausted" }),
  "compactionNode that prepares summaries": {
    ...nodeWith({ prepareAt: 0.4, model: summarizer }),
    isTimed: true,
  },
  "offloadTools before compactionNode": graphOf((given) => ({
    node: compactionNode(ladder(given)),
    wrapTools: (tools) => offloadTools(tools as never, ladder(given)),
  })),
  withCompaction: callWith(),
  "withCompaction as a view": callWith(view),
  "withCompaction beside the whole thread": { ...callWith({ keepThread: true }), keepsThread: true },
  maskToolResultsNode: rungOf(maskToolResultsNode),
  offloadLargeToolResultNode: rungOf(offloadLargeToolResultNode),
  truncateToolInputsNode: rungOf(truncateToolInputsNode),
  summarizeNode: rungOf(summarizeNode),
  foldNode: foldWith(),
  "foldNode on directives": foldWith({ condense: "on-directive" }),
  "foldNode as a view": foldWith({}, view),
  predictiveContextNode: predictiveWith(),
  "predictiveContextNode with pace": predictiveWith({ policy: "pace" }),
  "predictiveContextNode with pace, an encoder and a model": {
    ...predictiveWith({ policy: "pace", embeddings: encoder, model: summarizer }),
    isTimed: true,
  },
  "predictiveContextNode with a model": { ...predictiveWith({ model: summarizer }), isTimed: true },
  "predictiveContextNode every fourth step": predictiveWith({ every: 4 }),
  "predictiveContextNode as a view": predictiveWith({}, view),
  contextMiddleware: agentWith(inContext),
  "contextMiddleware beside the whole thread": {
    ...agentWith((given) => [contextMiddleware({ ...agent(given), keepThread: true })]),
    keepsThread: true,
  },
  foldMiddleware: agentWith((given) => [foldMiddleware(folding(given)), ...inContext(given)]),
  predictiveContextMiddleware: { ...agentWith(predicting), ...half },
  "predictiveContextMiddleware before contextMiddleware": {
    ...agentWith((given) => [...predicting(given), ...inContext(given)]),
    ...half,
  },
  "contextMiddleware of a nested agent": agentWith(inContext, "nested agent"),
  "contextMiddleware of a nested agent with its own memory": agentWith(
    inContext,
    "nested agent with its own memory",
  ),
  "compactionNode before a nested agent": {
    family: "nested agent",
    parts: (given) => ({ node: compactionNode(ladder(given)) }),
    pins: "all",
    isOutside: true,
  },
};

/** Every strategy in every host, by name. */
export const strategies: readonly Strategy[] = Object.entries(entries).map(([name, entry]) => ({
  name,
  ...entry,
}));
