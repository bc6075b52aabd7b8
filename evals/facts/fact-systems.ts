import { fileTools, searchHistoryTool } from "@palimpsest/langgraph";
import { RecallIndex } from "@palimpsest/recall";
import { MemoryBackend } from "@palimpsest/vfs";
import { SummaryWriter } from "../horizon/systems/summary-writer.js";
import { cumulativeSummary } from "../policies/cumulative-summary.js";
import { deepAgentsRun } from "../policies/deep-agents.js";
import { foldingRun } from "../policies/folding.js";
import { fullHistory, maskResults } from "../policies/unbudgeted.js";
import { langchainSummarization } from "../policies/langchain-summarization.js";
import { ladderRun } from "../policies/palimpsest-ladder.js";
import { predictiveRun } from "../policies/predictive-node.js";
import type { Policy, PolicyRun } from "../policies/policy.js";
import { randomRetention, recency } from "../policies/recency.js";
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

/** The names of a system, by how its summaries are made. */
export type Forms = Readonly<Record<"extracted" | "scripted", string>>;

/** The system whose figures the requirements apply to: without a model, and with the summary model that all systems share. */
export const ladders = formsOf("Palimpsest ladder");

/** Folding, which has to show with a model what it shows without one. */
export const foldings = formsOf("Palimpsest folding");

/** Each system in each form that it has: langchain and deepagents do not summarize without a model, and the others have none. */
export const factSystems: readonly FactSystem[] = [
  { ...ofPolicy(fullHistory), isControl: true },
  { ...ofPolicy(randomRetention), isControl: true },
  ofPolicy(recency),
  ofPolicy(maskResults(10)),
  ofPolicy(cumulativeSummary),
  ofPolicy(langchainSummarization),
  { name: "deepagents", start: searchedDeepAgents },
  ...inBothForms("Palimpsest ladder", searchedLadder),
  ...inBothForms("Palimpsest ladder, no excerpts", (window, options) =>
    searchedLadder(window, { ...options, limits: { excerpts: 0 } }),
  ),
  ...inBothForms("Palimpsest folding", foldingRun),
  ...inBothForms("Palimpsest predictive node", predictiveRun),
];

function formsOf(name: string): Forms {
  return { extracted: `${name}, extracted summary`, scripted: `${name}, scripted summary` };
}

function inBothForms(
  name: string,
  start: (window: number, options: { readonly model?: SummaryWriter }) => FactRun,
): readonly FactSystem[] {
  const { extracted, scripted } = formsOf(name);
  return [
    { name: extracted, start: (window) => start(window, {}) },
    { name: scripted, start: (window) => start(window, { model: new SummaryWriter(window) }) },
  ];
}

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
