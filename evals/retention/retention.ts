import type { ContextOptions } from "@palimpsest/langgraph";
import { sessionSets } from "../data/run-sets.js";
import { liveModel } from "../live/live-model.js";
import { number, readOptions, text } from "../run/read-options.js";
import { joinParts, type Suite } from "../suite.js";
import { constrainedRun } from "./constrained-run.js";
import { foldRun } from "./fold-run.js";
import { goal } from "./goal/goal.js";
import { inReach } from "./in-reach.js";
import { measurePromoted } from "./promoted.js";
import { reportRetention, type Mark } from "./report-retention.js";
import { rulesKept } from "./rules-kept.js";
import { scriptedSummarizer } from "./scripted-summarizer.js";
import { measureUserRules } from "./user-rules.js";

/**
 * Measures what is left of the user's rules, the goal and what must not be lost after 1, 5, 20 and 50 compactions, and whether
 * the goal stays in the prompt. `[--window N] [--steps N]`,
 * and with `--model NAME [--base-url URL]` the summaries of a live model beside the extracted and the scripted ones.
 */
export const retention: Suite = async ({ data, quick = false, args, progress }) => {
  const { contextWindow, steps, goalSteps, live } = settingsOf(args, quick);
  const summarizers: Readonly<Record<string, () => ContextOptions["model"]>> = {
    extracted: () => undefined,
    scripted: scriptedSummarizer,
    ...live,
  };
  const recorded = data === undefined ? [] : await sessionSets(data);
  const runs = [
    ...[1, 2].map((seed) => constrainedRun({ seed, steps })),
    ...recorded.flatMap(({ trajectories }) => trajectories),
  ];
  const marks: Mark[] = [];
  for (const [summarizer, modelOf] of Object.entries(summarizers)) {
    for (const run of runs) {
      progress(`${summarizer} summary, ${run.set} ${run.id}`);
      const model = modelOf();
      await foldRun(run, {
        contextWindow,
        ...(model && { model }),
        marks: quick ? [1, 5] : [1, 5, 20, 50],
        async look(folded) {
          const { compactions } = folded;
          const [kept, reach] = [rulesKept(folded, run.records), await inReach(folded)];
          marks.push({ summarizer, set: run.set, run: run.id, compactions, kept, reach });
        },
      });
    }
  }
  progress("messages that importance and markers keep");
  const promoted = await measurePromoted(quick ? [1] : [1, 2, 3], contextWindow);
  progress("rules of the user in twelve languages");
  const userRules = await measureUserRules(contextWindow, quick || data === undefined);
  const named = {
    suite: "retention",
    question:
      "After many compactions, what is left of the user's rules, the goal and what is needed later, also of a goal that changes in mid-run?",
  };
  return joinParts(named, [
    reportRetention({ marks, promoted, userRules, contextWindow, quick }),
    await goal({ contextWindow, steps: goalSteps, live, quick, progress, ...(data && { data }) }),
  ]);
};

function settingsOf(args: readonly string[], quick: boolean) {
  const {
    window,
    steps,
    model,
    "base-url": baseUrl,
  } = readOptions(args, {
    window: number(4_000, 8_000),
    steps: number(60, undefined),
    model: text(undefined),
    "base-url": text(undefined),
  });
  const liveOf = (name: string) => () => liveModel({ name, window, ...(baseUrl && { baseUrl }) });
  return {
    contextWindow: window,
    steps: steps ?? (quick ? 60 : 400),
    goalSteps: steps ?? (quick ? 90 : 180),
    live: model === undefined ? {} : { [model]: liveOf(model) },
  };
}
