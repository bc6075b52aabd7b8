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

const view = { outputKey: "context" };
const safe = (given: Given, more: object = {}) => ({
  onError: overflowErrorHandler({ ...ladder(given), ...more }),
});

type Entry = Omit<Strategy, "name">;
const half = { pins: "predicate" as const, remembersArchive: true as const };
const all = "all" as const;

function nodeWith(more: Partial<ContextOptions>): Entry {
  return graphOf((given) => ({ node: compactionNode({ ...ladder(given), ...more }) }), 1);
}

function predictiveWith(more: Partial<PredictiveContextOptions>): Entry {
  const make = (given: Given) => ({ node: predictiveContextNode({ ...predictive(given), ...more }) });
  return { ...graphOf(make, 0.5), ...half };
}

function graphOf(make: (given: Given) => Parts, limit?: number): Entry {
  const parts = (given: Given) => ({ ...safe(given), ...make(given) });
  return { family: "graph", parts, pins: all, ...(limit === undefined ? {} : { limit }) };
}

function viewOf(make: (given: Given) => Parts, limit: number): Entry {
  const parts = (given: Given) => ({ ...safe(given, view), ...make(given), ...view });
  return { family: "graph", parts, limit, pins: all };
}

function callWith(more: object = {}): Entry {
  const parts = (given: Given): Parts => ({
    wrapModel: (callModel) => withCompaction(callModel, { ...ladder(given), ...more }) as typeof callModel,
    ...more,
  });
  return { family: "graph", parts, limit: 1, pins: all };
}

function agentWith(make: (given: Given) => readonly unknown[], limit: number): Entry {
  return { family: "agent", parts: (given) => ({ middleware: make(given) as never }), limit, pins: all };
}

const entries: Readonly<Record<string, Entry>> = {
  compactionNode: graphOf((given) => ({ node: compactionNode(ladder(given)) }), 1),
  "compactionNode behind compactionCondition": graphOf(
    (given) => ({
      node: compactionNode(ladder(given)),
      condition: compactionCondition(ladder(given)),
    }),
    1,
  ),
  "compactionNode as a view": viewOf((given) => ({ node: compactionNode({ ...ladder(given), ...view }) }), 1),
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
  "offloadTools before compactionNode": graphOf(
    (given) => ({
      node: compactionNode(ladder(given)),
      wrapTools: (tools) => offloadTools(tools as never, ladder(given)),
    }),
    1,
  ),
  withCompaction: callWith(),
  "withCompaction as a view": callWith(view),
  "withCompaction beside the whole thread": { ...callWith({ keepThread: true }), keepsThread: true },
  maskToolResultsNode: graphOf((given) => ({ node: maskToolResultsNode(ladder(given)) })),
  offloadLargeToolResultNode: graphOf((given) => ({ node: offloadLargeToolResultNode(ladder(given)) })),
  truncateToolInputsNode: graphOf((given) => ({ node: truncateToolInputsNode(ladder(given)) })),
  summarizeNode: graphOf((given) => ({ node: summarizeNode(ladder(given)) })),
  foldNode: graphOf((given) => ({ node: foldNode(folding(given)) }), 1),
  "foldNode on directives": graphOf(
    (given) => ({ node: foldNode({ ...folding(given), condense: "on-directive" }) }),
    1,
  ),
  "foldNode as a view": viewOf((given) => ({ node: foldNode({ ...folding(given), ...view }) }), 1),
  predictiveContextNode: predictiveWith({}),
  "predictiveContextNode with pace": predictiveWith({ policy: "pace" }),
  "predictiveContextNode with pace, an encoder and a model": {
    ...predictiveWith({ policy: "pace", embeddings: encoder, model: summarizer }),
    isTimed: true,
  },
  "predictiveContextNode with a model": { ...predictiveWith({ model: summarizer }), isTimed: true },
  "predictiveContextNode every fourth step": predictiveWith({ every: 4 }),
  "predictiveContextNode as a view": {
    ...viewOf((given) => ({ node: predictiveContextNode({ ...predictive(given), ...view }) }), 0.5),
    ...half,
  },
  contextMiddleware: agentWith((given) => [contextMiddleware(agent(given))], 1),
  "contextMiddleware beside the whole thread": {
    ...agentWith((given) => [contextMiddleware({ ...agent(given), keepThread: true })], 1),
    keepsThread: true,
  },
  foldMiddleware: agentWith((given) => [foldMiddleware(folding(given)), contextMiddleware(agent(given))], 1),
  predictiveContextMiddleware: {
    ...agentWith((given) => [predictiveContextMiddleware({ ...predictive(given), tools: [] })], 0.5),
    ...half,
  },
  "predictiveContextMiddleware before contextMiddleware": {
    ...agentWith(
      (given) => [
        predictiveContextMiddleware({ ...predictive(given), tools: [] }),
        contextMiddleware(agent(given)),
      ],
      0.5,
    ),
    ...half,
  },
  "contextMiddleware of a nested agent": {
    ...agentWith((given) => [contextMiddleware(agent(given))], 1),
    family: "nested agent",
  },
  "contextMiddleware of a nested agent with its own memory": {
    ...agentWith((given) => [contextMiddleware(agent(given))], 1),
    family: "nested agent with its own memory",
  },
  "compactionNode before a nested agent": {
    family: "nested agent",
    parts: (given) => ({ node: compactionNode(ladder(given)) }),
    pins: all,
    isOutside: true,
  },
};

/** Every strategy in every host, by name. */
export const strategies: readonly Strategy[] = Object.entries(entries).map(([name, entry]) => ({
  name,
  ...entry,
}));
