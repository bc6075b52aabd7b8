import { rawFolders } from "../data/read-trajectories.js";
import { recordedSets, runSets, type RunSet } from "../data/run-sets.js";
import { deepAgents } from "../policies/deep-agents.js";
import { langchainSummarization } from "../policies/langchain-summarization.js";
import { fullHistory, maskResults } from "../policies/unbudgeted.js";
import { oracle } from "../policies/oracle.js";
import { palimpsestLadder } from "../policies/palimpsest-ladder.js";
import { selectionPolicies } from "../policies/policies.js";
import { predictiveNode } from "../policies/predictive-node.js";
import { randomRetention, recency } from "../policies/recency.js";
import { reuse } from "../policies/reuse.js";
import type { Suite } from "../suite.js";
import { recallAtTokens, recallOf } from "./measure-policy.js";
import { measureSet, type SetRecall, type SetScale } from "./measure-set.js";
import { keepsPlans, measurePlanned, plannedTable } from "./planned-runs.js";
import { recallChart, recallComparison, recallTable, type ComparedRecall } from "./report-provenance.js";
import { publishedBudgets, reproductionOf, reproductionTables } from "./reproduction.js";
import { codingChoices, worstSetTable } from "./set-tables.js";

const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
/** Customer-service dialogues are shorter than any budget of the coding sets. */
const dialogues = { set: "tau-bench-airline", budgets: [2_000, 3_000] };
/** Whole sessions are many and long: the ladder, the newest text, and what else compacts. */
const wholeSessions: SetScale = {
  budgets: [8_000, 16_000, 32_000],
  windows: [40_000, 48_000],
  seeds: [1],
  only: [recency, langchainSummarization, deepAgents, palimpsestLadder],
};
const kinds = ["all", "far", "lines"] as const;
const ladderRecalls = kinds.map((kind) => ({ ours: palimpsestLadder.name, kind, budget: 32_000 }));
/** Not rivals: the bounds of the scale, and our own policies. */
const controls = [fullHistory.name, oracle.name, randomRetention.name, reuse().name, predictiveNode().name];

/** Measures how much of what the next call needs each policy keeps, at equal budgets. */
export const provenance: Suite = async ({ data, quick = false, progress }) => {
  const measured: SetRecall[] = [];
  for (const set of await runSets({ data, quick, more: [dialogues.set] }))
    measured.push(await measureSet(set, scaleOf(set.name, quick), progress));
  const whole: SetRecall[] = [];
  for (const set of quick ? [] : await wholeSets(data))
    whole.push(await measureSet(set, wholeSessions, progress));
  const all = [...measured, ...whole];
  progress("runs with a plan in one message");
  const planned = await measurePlanned(quick);
  const coding = measured.filter(({ set }) => set !== dialogues.set);
  const reproduced = measured.flatMap(reproductionOf);
  const beside = coding.map(besideMask);
  const compared = all.flatMap((one) =>
    (whole.includes(one) ? ladderRecalls : comparedRecalls(one)).map((which) =>
      recallComparison(one, { ...which, controls }),
    ),
  );
  return {
    suite: "provenance",
    question: "How much of what the next call needs is still in the context?",
    cases: all.reduce((sum, { steps }) => sum + steps, 0),
    passed:
      measured.some(({ farSteps }) => farSteps > 0) &&
      measured.every(isBounded) &&
      keepsPlans(planned) &&
      reproduced.every(({ isReproduced }) => isReproduced) &&
      beside.every((one) => isLevelWithMask(one, quick)),
    tables: [
      worstSetTable(coding, quick ? [8_000] : [8_000, 32_000]),
      plannedTable(planned),
      ...all.flatMap((one) => kinds.filter((kind) => has(one, kind)).map((kind) => recallTable(one, kind))),
      ...reproductionTables(reproduced),
    ],
    charts: coding.flatMap((one) => [recallChart(one, "all"), recallChart(one, "far")]),
    choices: [codingChoices(coding)],
    comparisons: compared.flatMap(({ comparisons = [] }) => comparisons),
    tooSmall: [...compared.flatMap(({ tooSmall = [] }) => tooSmall), ...beside.flatMap(untold)],
    numbers: { seeds, sets: all, reproduced, beside, planned },
  };
};

async function wholeSets(data: string | undefined): Promise<readonly RunSet[]> {
  return data === undefined ? [] : recordedSets(data, rawFolders(data));
}

/** Returns how a set is measured. */
function scaleOf(set: string, quick: boolean): SetScale {
  const used = quick ? seeds.slice(0, 3) : seeds;
  if (set === dialogues.set) return { budgets: dialogues.budgets, windows: [], seeds: used };
  return {
    budgets: quick ? [8_000] : publishedBudgets,
    windows: quick ? [16_000, 32_000, 64_000] : [40_000, 48_000, 64_000, 80_000],
    seeds: used,
  };
}

/** Returns true for a ladder that keeps what masking keeps. A small version measures no ladder. */
function isLevelWithMask({ ours, mask }: ReturnType<typeof besideMask>, quick: boolean): boolean {
  return ours === undefined ? quick : ours >= mask - 0.005;
}

/** Which of ours is in the verdict, by set: the ladder in a large window, the node that selects in a small one. */
function comparedRecalls({ set }: SetRecall): readonly Omit<ComparedRecall, "controls">[] {
  const [ladder, node] = [palimpsestLadder.name, predictiveNode().name];
  if (set === dialogues.set)
    return [
      { ours: ladder, kind: "all", budget: 3_000 },
      { ours: node, kind: "all", budget: 2_000 },
    ];
  return [
    { ours: ladder, kind: "all", budget: 32_000 },
    { ours: ladder, kind: "lines", budget: 32_000 },
    { ours: node, kind: "all", budget: 8_000 },
    { ours: node, kind: "far", budget: 8_000 },
  ];
}

/** The ladder at the mean tokens of a mask of ten steps; undefined where no measured window gives contexts of that size. */
function besideMask({ set, recalls }: SetRecall) {
  const mask = recallOf(recalls, maskResults(10).name);
  if (mask?.all === undefined) throw new Error(`${set} has no recall of ${maskResults(10).name}`);
  const own = recalls.filter(({ policy }) => policy === palimpsestLadder.name);
  return { set, tokens: mask.tokens, mask: mask.all.mean, ours: recallAtTokens(own, mask.tokens) };
}

function untold({ set, tokens, ours }: ReturnType<typeof besideMask>): readonly string[] {
  if (ours !== undefined) return [];
  return [
    `the ladder beside a mask of ten steps, ${set}: no measured window gives contexts of ${Math.round(tokens)} tokens.`,
  ];
}

/** The full history has everything, and no choice of whole chunks within the budget beats the oracle; other contexts may. */
function isBounded({ recalls, budgets }: SetRecall): boolean {
  const meanOf = (policy: string, budget?: number) => recallOf(recalls, policy, budget)?.all?.mean ?? 0;
  return (
    meanOf(fullHistory.name) === 1 &&
    budgets.every((budget) =>
      selectionPolicies.every(({ name }) => meanOf(oracle.name, budget) >= meanOf(name, budget)),
    )
  );
}

function has({ recalls }: SetRecall, kind: (typeof kinds)[number]): boolean {
  return recalls.some((recall) => recall[kind] !== undefined);
}
