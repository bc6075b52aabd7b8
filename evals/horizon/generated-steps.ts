import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { madeStep } from "../data/made/made-step.js";
import { randomFrom } from "../data/random-from.js";

/** A fact that was in one result, and the name by which it can be looked up. */
export interface Needle {
  readonly name: string;
  readonly answer: string;
}

const taskSteps = 40;
/** Steps between two results with a needle. */
export const needleEvery = 10;

/** Returns the needle of a step; the same step has the same needle in every run of a seed. Pure. */
export function needleOf(seed: number, step: number): Needle {
  const random = randomFrom(seed * 1_000_003 + step * 7 + 5);
  const letters = () =>
    Math.floor(random() * 36 ** 5)
      .toString(36)
      .padStart(5, "0");
  return { name: `depot-${letters()}${step.toString(36)}`, answer: `${letters()}-${letters()}` };
}

/** Returns the step of a generated session of tasks: a short or long page of records, now and then one with a needle. Pure. */
export function generatedStep(seed: number, step: number): readonly BaseMessage[] {
  const random = randomFrom(seed * 7_919 + step);
  const task = Math.floor(step / taskSteps);
  const asks =
    step % taskSteps === 0
      ? [new HumanMessage({ id: `h${step}`, content: `Task ${task}: check the stock of region ${task}.` })]
      : [];
  const said = `Reading page ${step} of region ${task}, as the last one left ${Math.floor(random() * 900)} open items.`;
  const [args, result] = [{ region: task, page: step }, pageText(seed, step, random)];
  return [...asks, ...madeStep({ id: step, said, name: "read_page", args, result })];
}

/** Half of the pages are short, a few are very long. Every line but the needle's is a distractor of the same form. */
function pageText(seed: number, step: number, random: () => number): string {
  const lines = Array.from({ length: Math.ceil(2 + 60 * random() ** 4) }, (_, line) => {
    const made = Math.floor(random() * 36 ** 6).toString(36);
    return `Record ${line}: depot-${made} holds ${Math.floor(random() * 9_000)} crates since week ${Math.floor(random() * 52)}.`;
  });
  if (step % needleEvery === 0) {
    const { name, answer } = needleOf(seed, step);
    lines.splice(Math.floor(random() * lines.length), 0, `Record: ${name} opens with the code ${answer}.`);
  }
  return lines.join("\n");
}

/** Returns the first messages of a generated session; each call makes them anew, as a loaded checkpoint does. Pure. */
export function madeThread(count: number): BaseMessage[] {
  const messages: BaseMessage[] = [];
  for (let step = 0; messages.length < count; step++) messages.push(...generatedStep(1, step));
  return messages;
}
