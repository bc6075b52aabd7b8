import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { madeStep } from "../data/made/made-step.js";
import { randomFrom } from "../data/random-from.js";
import type { Trajectory } from "../data/trajectory.js";

/** A run, and what its agent reads and says of its own. */
export interface StatedRun extends Trajectory {
  readonly facts: readonly string[];
  readonly doubts: readonly string[];
}

/**
 * A made-up run: pages of rows, a memo of a few sentences among them every third step, and a doubt of the agent. Each memo
 * is shorter than a page and has words of its own. Fewer memos would all stay as extracted findings.
 */
export function statedRun(seed: number, steps = 400): StatedRun {
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
