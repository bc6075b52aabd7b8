import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { estimateTokens, tfIdfImportance } from "@palimpsest/context";
import { reuseImportance } from "@palimpsest/context/selection";
import type { ContextOptions } from "@palimpsest/langgraph";
import { madeStep } from "../data/made/made-step.js";
import { randomFrom } from "../data/random-from.js";
import { textOf } from "../data/text-of.js";
import type { Trajectory } from "../data/trajectory.js";
import { foldRun } from "./fold-run.js";
import { scriptedSummarizer } from "./scripted-summarizer.js";

/** What of the agent's own sentences is in sight after so many compactions, with one way to promote messages. */
export interface Promoted {
  readonly way: string;
  readonly facts: number;
  readonly factsKept: number;
  readonly doubts: number;
  readonly doubtsKept: number;
  /** Tokens of the context, by the estimator. */
  readonly tokens: number;
}

type Promotion = Pick<ContextOptions, "importance" | "markers" | "keep">;

/** The control spends the tokens of promotion on the newest messages instead. */
const ways: Readonly<Record<string, Promotion>> = {
  "no promotion": {},
  "no promotion, half as much again in keep": { keep: { fraction: 0.15 } },
  "importance: tfIdfImportance": { importance: tfIdfImportance },
  "importance: reuseImportance": { importance: reuseImportance },
  "markers of a complex task": { markers: { task: "complex" } },
};

/**
 * Compactions after which the context is examined. After one number alone, a memo among the newest messages would decide: they
 * stay whole in every way.
 */
const marks = [4, 5, 6, 7, 8, 9, 10, 11, 12];

/** Plays a made-up run through the node, once for each way, and examines the context after four to twelve compactions. */
export async function promoted(seed: number, contextWindow: number): Promise<readonly Promoted[]> {
  const run = statedRun(seed);
  const found: Promoted[] = [];
  for (const [way, options] of Object.entries(ways)) {
    await foldRun(run, {
      contextWindow,
      // A model that forgets is what promotion is for.
      model: scriptedSummarizer(),
      options,
      marks,
      look({ thread, context }) {
        const shown = context.map(textOf).join("\n");
        const said = thread.map(textOf).join("\n");
        const of = (sentences: readonly string[]) => sentences.filter((sentence) => said.includes(sentence));
        const kept = (sentences: readonly string[]) =>
          of(sentences).filter((sentence) => shown.includes(sentence)).length;
        found.push({
          way,
          facts: of(run.facts).length,
          factsKept: kept(run.facts),
          doubts: of(run.doubts).length,
          doubtsKept: kept(run.doubts),
          tokens: estimateTokens(context),
        });
        return Promise.resolve();
      },
    });
  }
  return found;
}

interface StatedRun extends Trajectory {
  readonly facts: readonly string[];
  readonly doubts: readonly string[];
}

/**
 * A made-up run: pages of rows, a memo of a few sentences among them every third step, and a doubt of the agent. Each memo
 * is shorter than a page and has words of its own. Fewer memos would all stay as extracted findings.
 */
function statedRun(seed: number, steps = 400): StatedRun {
  const random = randomFrom(seed);
  const [facts, doubts]: [string[], string[]] = [[], []];
  const messages: BaseMessage[] = [new HumanMessage({ id: "h", content: "Survey every rack." })];
  for (let step = 0; step < steps; step++) {
    const rack = `rack_${seed}_${step}`;
    const isMemo = step % 3 === 2;
    let said = `Reading ${rack} next.`;
    if (step % 3 === 1) {
      said = `Hmm, perhaps I was wrong about ${rack}: let me verify the lease ${step * 13}.`;
      doubts.push(said);
    }
    const memo = `Breaker ${step * 17} of ${rack} trips at ${40 + step} amps, and only crew ${step * 7} may reset it after calling depot ${step * 29}.`;
    if (isMemo) facts.push(memo);
    const page = Array.from(
      { length: 25 },
      (_, row) =>
        `${rack} slot ${row} draws ${Math.floor(random() * 900)} watts since build ${row * 31 + step}`,
    );
    const args = { path: `racks/${rack}.md` };
    const result = isMemo ? `${memo}\nSigned by the night shift.` : page.join("\n");
    messages.push(...madeStep({ id: step, said, name: "read_file", args, result }));
  }
  return { set: "made tasks", id: `stated-${seed}`, messages, facts, doubts };
}
