import { runSets } from "../data/run-sets.js";
import { stepsOf, type Step } from "../data/steps.js";
import { sentenceEncoder } from "../locomo/sentence-encoder.js";
import { pace } from "../policies/pace.js";
import type { Policy } from "../policies/policy.js";
import { predictiveNode } from "../policies/predictive-node.js";
import { randomRetention, recency } from "../policies/recency.js";
import { reuse } from "../policies/reuse.js";
import { measurePolicy } from "../provenance/measure-policy.js";
import { flag, number, readOptions, text } from "../run/read-options.js";
import type { Suite } from "../suite.js";
import { sumOf } from "../metrics/sum-of.js";
import { ablationTable, intervalChoices, reuseTable, type VariantRecall } from "./report-predictive.js";
import { watchPolicy } from "./watch-policy.js";

/** May exceed the budget at first: the part that every selection of whole steps keeps. */
const controls = [recency, randomRetention];
const rare = [4, 8, 16];
/** Our policy and the node that has it, anew at each step and not, beside recency and the random control. */
const reuseVariants: readonly Policy[] = [
  ...controls,
  reuse(),
  reuse({ sticky: 0.92 }),
  predictiveNode(1),
  predictiveNode(),
  ...rare.map((every) => predictiveNode(undefined, "reuse", every)),
  ...[1, ...rare].map((every) => predictiveNode(undefined, "pace", every)),
];

/** Glimpses of a step, as published. */
const glimpses = 3;
/** PACE with every part on, and with each of them off. */
const paceVariants: readonly Policy[] = [
  pace({ name: "every part on", glimpses }),
  pace({ name: "granularity off: whole or placeholder", glimpses, levels: ["full", "placeholder"] }),
  pace({ name: "pressure off: lambda 0", glimpses, pressureGain: 0 }),
  pace({ name: "pressure doubled: lambda 1", glimpses, pressureGain: 1 }),
  pace({ name: "tau off: 1, weights nearly even", glimpses, temperature: 1 }),
  pace({ name: "glimpse off" }),
];
const encoded = pace({
  name: "a sentence encoder in place of hashed words",
  glimpses,
  encoder: sentenceEncoder,
});

/**
 * Measures PACE as published beside reuse coverage, and what each part of it is worth. `[--budget N] [--set NAME] [--encoder]`;
 * `--encoder` plays PACE with a sentence encoder too, which takes long.
 */
export const predictive: Suite = async ({ data, quick = false, args, progress }) => {
  const {
    budget,
    set: only,
    encoder,
  } = readOptions(args, {
    budget: number(100, 8_000),
    set: text(""),
    encoder: flag,
  });
  const sets = (await runSets({ data, quick })).filter(({ name }) => name.includes(only));
  if (sets.length === 0) throw new Error(`--set is ${only}: no set of runs has that in its name`);
  const ours: VariantRecall[] = [];
  const published: VariantRecall[] = [];
  for (const { name, trajectories } of sets) {
    const runs = trajectories.map(stepsOf);
    const measured = (policy: Policy) => {
      progress(`${name}: ${policy.name}`);
      return measureVariant(name, runs, { policy, budget });
    };
    for (const policy of reuseVariants) ours.push(await measured(policy));
    for (const policy of encoder ? [encoded, ...paceVariants] : paceVariants)
      published.push(await measured(policy));
  }
  return {
    suite: "predictive",
    question: "What does a context that is selected at each step hold, and how do its parts contribute?",
    cases: sumOf(sets, ({ trajectories }) => sumOf(trajectories, (run) => stepsOf(run).length)),
    passed: ours.every((one) => isBounded(one, budget)) && seesFarther(ours),
    tables: [reuseTable(ours, budget), ablationTable(published, budget)],
    choices: [intervalChoices(ours, budget)],
    charts: [],
    numbers: { recalls: [...ours, ...published] },
  };
};

/** Every selection is within its budget. */
function isBounded({ policy, tokens }: VariantRecall, budget: number): boolean {
  return tokens <= budget || controls.some(({ name }) => name === policy);
}

/** On each set the node shows more of what was said long before the call that needs it than the newest messages do. */
function seesFarther(recalls: readonly VariantRecall[]): boolean {
  const farOf = (set: string) =>
    recalls.find((one) => one.set === set && one.policy === recency.name)?.far?.mean ?? 0;
  return recalls
    .filter(({ policy, far }) => policy === predictiveNode().name && far !== undefined)
    .every(({ set, far }) => (far?.mean ?? 0) > farOf(set));
}

/** Returns the recall of a policy and the properties of its contexts. */
export async function measureVariant(
  set: string,
  runs: readonly (readonly Step[])[],
  { policy, budget }: { readonly policy: Policy; readonly budget: number },
): Promise<VariantRecall> {
  const { policy: watching, watched } = watchPolicy(policy, runs);
  const recall = await measurePolicy(runs, watching, { budget });
  return { set, ...recall, ...watched() };
}
