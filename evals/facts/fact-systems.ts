import { fileTools, searchHistoryTool } from "@palimpsest/langgraph";
import { RecallIndex } from "@palimpsest/recall";
import { MemoryBackend } from "@palimpsest/vfs";
import { SummaryWriter } from "../horizon/systems/summary-writer.js";
import { cumulativeSummary } from "../policies/cumulative-summary.js";
import { deepAgentsRun } from "../policies/deep-agents.js";
import { palimpsestFolding } from "../policies/folding.js";
import { fullHistory } from "../policies/full-history.js";
import { langchainSummarization } from "../policies/langchain-summarization.js";
import { maskResults } from "../policies/mask-results.js";
import { ladderRun } from "../policies/palimpsest-ladder.js";
import { predictiveNode } from "../policies/predictive-node.js";
import type { Policy, PolicyRun } from "../policies/policy.js";
import { randomRetention } from "../policies/random-retention.js";
import { recency } from "../policies/recency.js";
import type { FactQuestion } from "./made-history.js";

/** A run of a system, and what one call of its agent's own tools answers to a question. */
export interface FactRun extends PolicyRun {
  readonly tools?: Readonly<Partial<Record<FactTool, (question: FactQuestion) => Promise<string>>>>;
}

/** A grep for words of the facts, which the agent has to know; a search with the question. */
export type FactTool = "grep" | "search_history";

export interface FactSystem {
  readonly name: string;
  /** A bound of the scale or the control, not a rival. @default false */
  readonly isControl?: true;
  readonly start: (window: number) => FactRun;
}

/** The systems whose figures the requirements apply to: without a model, and with the summary model that the others have. */
export const ladders = [
  "Palimpsest ladder, extracted summary",
  "Palimpsest ladder, scripted summary",
] as const;
const [extracted, scripted] = ladders;

export const factSystems: readonly FactSystem[] = [
  { ...ofPolicy(fullHistory), isControl: true },
  { ...ofPolicy(randomRetention), isControl: true },
  ofPolicy(recency),
  ofPolicy(maskResults(10)),
  ofPolicy(cumulativeSummary),
  ofPolicy(langchainSummarization),
  { name: "deepagents", start: searchedDeepAgents },
  { name: extracted, start: (window) => searchedLadder(window, {}) },
  {
    name: scripted,
    start: (window) => searchedLadder(window, { model: new SummaryWriter(window) }),
  },
  {
    name: "Palimpsest ladder, no excerpts in the summary",
    start: (window) => searchedLadder(window, { limits: { excerpts: 0 } }),
  },
  { ...ofPolicy(palimpsestFolding), name: "Palimpsest folding" },
  { ...ofPolicy(predictiveNode()), name: "Palimpsest predictive node" },
];

function ofPolicy(policy: Policy): FactSystem {
  return { name: policy.name, start: (budget) => policy.start({ budget, seed: 1 }) };
}

function searchedLadder(window: number, options: Parameters<typeof ladderRun>[1]): FactRun {
  const run = ladderRun(window, options);
  const search = searchHistoryTool({ files: run.files, index: RecallIndex.inMemory() });
  const grep = fileTools({ files: run.files }).find(({ name }) => name === "grep");
  return {
    context: (added, facts) => run.context(added, facts),
    tools: {
      grep: async ({ phrase: pattern }) =>
        String(await grep?.invoke({ pattern, path: "/context/", glob: "*.{md,txt}" } as never, run.config)),
      search_history: async ({ text: query }) =>
        String(await search.invoke({ query, limit: 20 }, run.config)),
    },
  };
}

function searchedDeepAgents(window: number): FactRun {
  const run = deepAgentsRun(window, new MemoryBackend());
  return {
    context: (added, facts) => run.context(added, facts),
    tools: {
      async grep({ phrase }) {
        const { matches = [] } = await run.backend.grep(phrase, "/");
        return matches.map(({ path, line, text }) => `${path}:${line}: ${text}`).join("\n");
      },
    },
  };
}
