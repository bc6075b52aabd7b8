import type { ContextOptions } from "@palimpsest/langgraph";
import { sessionSets } from "../data/run-sets.js";
import type { Trajectory } from "../data/trajectory.js";
import { liveModel } from "../live/live-model.js";
import { number, readOptions, text } from "../run/read-options.js";
import { joinParts, type Suite, type SuiteResult } from "../suite.js";
import { constrainedRun } from "./constrained-run.js";
import { foldRun } from "./fold-run.js";
import { goal } from "./goal/goal.js";
import { inReach } from "./in-reach.js";
import { promoted } from "./promoted.js";
import { reportRetention, type Mark } from "./report-retention.js";
import { rulesKept } from "./rules-kept.js";
import { scriptedSummarizer } from "./scripted-summarizer.js";
import { measureUserRules } from "./user-rules.js";

/**
 * Measures what is left of the user's rules, the goal and what must not be lost after 1, 5, 20 and 50 compactions, and whether
 * the goal stays in the prompt. `[--window N] [--steps N]`,
 * and with `--model NAME [--base-url URL]` the summaries of a live model beside the extracted and the scripted ones.
 */
export const retention: Suite = async ({ data, quick = false, args, progress }): Promise<SuiteResult> => {
  const { contextWindow, steps, goalSteps, liveModels } = settingsOf(args, quick);
  const summarizers: Readonly<Record<string, () => Marking["model"]>> = {
    extracted: () => undefined,
    scripted: scriptedSummarizer,
    ...liveModels,
  };
  const recorded =
    data === undefined ? [] : (await sessionSets(data)).flatMap(({ trajectories }) => trajectories);
  const runs = [...[1, 2].map((seed) => constrainedRun({ seed, steps })), ...recorded];
  const marks: Mark[] = [];
  for (const [name, summarizer] of Object.entries(summarizers)) {
    for (const run of runs) {
      progress(`${name} summary, ${run.set} ${run.id}`);
      marks.push(...(await marksOf(run, { name, contextWindow, model: summarizer(), quick })));
    }
  }
  progress("messages that importance and markers keep");
  const promotions = await Promise.all(
    (quick ? [1] : [1, 2, 3]).map((seed) => promoted(seed, contextWindow)),
  );
  progress("rules of the user in four languages");
  const userRules = await measureUserRules(contextWindow, quick || data === undefined);
  const left = reportRetention({
    marks,
    promoted: promotions.flat(),
    userRules,
    contextWindow,
    quick,
  });
  const goals = { contextWindow, steps: goalSteps, live: liveModels, quick, progress };
  const named = {
    suite: "retention",
    question:
      "After many compactions, what is left of the user's rules, the goal and what is needed later, also of a goal that changes in mid-run?",
  };
  return joinParts(named, [left, await goal(data === undefined ? goals : { ...goals, data })]);
};

function settingsOf(args: readonly string[], quick: boolean) {
  const options = { window: number(4_000, 8_000), steps: number(60, undefined), model: text(undefined) };
  const {
    window: contextWindow,
    steps,
    model: live,
    "base-url": baseUrl,
  } = readOptions(args, { ...options, "base-url": text(undefined) });
  const address = baseUrl === undefined ? {} : { baseUrl };
  const liveModels =
    live === undefined ? {} : { [live]: () => liveModel({ name: live, window: contextWindow, ...address }) };
  return {
    contextWindow,
    steps: steps ?? (quick ? 60 : 400),
    goalSteps: steps ?? (quick ? 90 : 180),
    liveModels,
  };
}

interface Marking {
  readonly name: string;
  readonly contextWindow: number;
  readonly model: ContextOptions["model"];
  readonly quick: boolean;
}

async function marksOf(
  run: Trajectory,
  { name, contextWindow, model, quick }: Marking,
): Promise<readonly Mark[]> {
  const marks: Mark[] = [];
  await foldRun(run, {
    contextWindow,
    ...(model === undefined ? {} : { model }),
    marks: quick ? [1, 5] : [1, 5, 20, 50],
    async look(folded) {
      const kept = rulesKept(folded, run.records);
      const reach = await inReach(folded);
      marks.push({
        summarizer: name,
        set: run.set,
        run: run.id,
        compactions: folded.compactions,
        kept,
        reach,
      });
    },
  });
  return marks;
}
