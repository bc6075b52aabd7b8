import { sessionSets } from "../data/run-sets.js";
import { groupsOf } from "../metrics/groups-of.js";
import type { Suite } from "../suite.js";
import { generatedPrompts } from "./generated-prompts.js";
import type { PromptSet } from "./metered-prompt.js";
import { meters, ours } from "./meters.js";
import { clearedPrompts } from "./cleared-prompts.js";
import { rawFolder, rawSessions } from "./raw-sessions.js";
import { recordedPrompts, sentPrompts } from "./recorded-prompts.js";
import {
  holds,
  meterComparison,
  meterRow,
  meterTable,
  windowTable,
  type MeterRow,
} from "./report-counter.js";

/** Measures the error of each meter against the prompt tokens that providers reported, by what came before a prompt. */
export const counter: Suite = async ({ data, quick = false, progress }) => {
  const rows: MeterRow[] = [];
  const sets = await promptSets(data, quick);
  for (const { name: set, runs } of sets) {
    for (const [at, { name: meter, isOurs, start }] of meters.entries()) {
      progress(`${at}/${meters.length} ${set}, ${meter}`);
      const measured = runs.flatMap((prompts) => {
        const [first] = prompts;
        const measure = first === undefined ? undefined : start(first.before);
        return prompts.map((prompt) => ({
          situation: prompt.situation,
          ratio: (measure?.(prompt) ?? 0) / prompt.inputTokens,
        }));
      });
      for (const [situation, asked] of groupsOf(measured, (one) => one.situation)) {
        const ratios = asked.map(({ ratio }) => ratio);
        rows.push(meterRow({ set, meter, isOurs, situation }, ratios));
      }
    }
  }
  const sent = sets.flatMap(({ runs }) => runs.flat()).filter((prompt) => prompt.contextWindow !== undefined);
  const over = sent.filter(({ inputTokens, contextWindow = Infinity }) => inputTokens > contextWindow);
  const own = rows.filter(({ meter }) => meter === ours.name);
  return {
    suite: "counter",
    question: "How accurately is the size of the next prompt known before it is sent?",
    cases: own.reduce((sum, { prompts }) => sum + prompts, 0),
    passed: own.length > 0 && sent.length > 0 && over.length === 0 && own.every((row) => holds(row, rows)),
    ...(quick
      ? { tooSmall: ["the 95th percentile of errors: there are fewer than 100 prompts of a kind."] }
      : {}),
    tables: [meterTable(rows), windowTable(sent, over)],
    comparisons: own.map((row) => meterComparison(row, rows)),
    numbers: { rows, sent: sent.length, over: over.length },
  };
};

/** A host that keeps its prompts just under a limit, and one that clears much at once. */
const clearings = {
  "old results cleared one by one": { above: 110_000, to: 108_000 },
  "old results cleared at once": { above: 120_000, to: 95_000 },
};

async function promptSets(data: string | undefined, quick: boolean): Promise<readonly PromptSet[]> {
  const seeds = quick ? [1] : [1, 2, 3, 4, 5, 6];
  const runs = await Promise.all(seeds.map((seed) => generatedPrompts(seed, 120)));
  return [{ name: "generated", runs }, ...(data === undefined ? [] : await recordedSets(data))];
}

async function recordedSets(data: string): Promise<readonly PromptSet[]> {
  const sessions = await sessionSets(data);
  const raw = await rawSessions(data);
  const sets = [
    ...sessions.map(({ name, trajectories }) => ({ name, sent: trajectories.map(sentPrompts) })),
    { name: rawFolder, sent: raw },
    ...Object.entries(clearings).map(([name, clearing]) => ({
      name: `${rawFolder}, ${name}`,
      sent: raw.map((prompts) => clearedPrompts(prompts, clearing)),
    })),
  ];
  return sets
    .map(({ name, sent }) => ({ name, runs: sent.map(recordedPrompts) }))
    .filter((set) => set.runs.flat().length > 0);
}
