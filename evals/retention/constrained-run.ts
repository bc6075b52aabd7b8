import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { madeStep } from "../data/made/made-step.js";
import { randomFrom } from "../data/random-from.js";
import type { Trajectory } from "../data/trajectory.js";
import { pick } from "../data/pick.js";

const verbs = ["Never touch", "Do not rename", "Always test", "You must keep", "Only read"];
const things = ["the folder", "the module", "the table", "the branch", "the report"];

/** Returns a generated run in which the user sets a rule of its own every few steps, and tools return pages of facts. */
export function constrainedRun({
  seed,
  steps,
}: {
  readonly seed: number;
  readonly steps: number;
}): Trajectory {
  const random = randomFrom(seed);
  const messages: BaseMessage[] = [];
  for (let step = 0; step < steps; step++) {
    if (step % 8 === 0) {
      const rule = `${pick(verbs, random)} ${pick(things, random)} unit_${seed}_${step}.`;
      const content = step === 0 ? `Survey every host. ${rule}` : `Go on with part ${step}. ${rule}`;
      messages.push(new HumanMessage({ id: `h${step}`, content }));
    }
    messages.push(...stepOf(seed, step, random));
  }
  messages.push(new AIMessage({ id: "end", content: "The survey is complete." }));
  return { set: "made tasks", id: `rules-${seed}`, messages };
}

function stepOf(seed: number, step: number, random: () => number): readonly BaseMessage[] {
  const host = `host_${seed}_${step}`;
  const args = { path: `hosts/${host}.md`, ticket: `TCK${seed}${step * 7919}` };
  const lines = Array.from(
    { length: 30 },
    (_, line) =>
      `${host} service ${line} listens on ${Math.floor(random() * 60_000)} since build ${line * 31 + step}`,
  );
  const decided =
    step % 5 === 0 ? ` I decided to use port ${20_000 + step} because the default is taken.` : "";
  const said = `Reading ${host}.${decided}`;
  return madeStep({ id: step, said, name: "read_file", args, result: lines.join("\n") });
}
