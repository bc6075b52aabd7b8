import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { madeStep } from "../data/made/made-step.js";
import { randomFrom } from "../data/random-from.js";
import type { Trajectory } from "../data/trajectory.js";
import { pick } from "../data/pick.js";

const things = ["invoice", "parcel", "ticket", "voucher", "booking", "refund", "courier", "ledger", "tariff"];
const acts = "rounding retry export expiry archive signing throttle caching merging".split(" ");
/** Names of towns consist of two parts and occur only in the wanted text. */
const syllables = ["Por", "Tar", "Gal", "Hob", "Cus", "Kyo", "Trom", "Oax", "Lim", "Bre"];
const lines = 40;

/**
 * Returns a generated run whose agent reads one module after the other and every other step must set a limit that it read
 * many steps before: it says what that limit is for, and the call needs the limit's own name. Pure.
 */
export function makeRun(seed: number, steps = 120): Trajectory {
  const random = randomFrom(seed);
  const limits: { readonly what: string; readonly name: string }[] = [];
  const messages: BaseMessage[] = [
    new HumanMessage({ id: "task", content: "Go through the modules and set the limits that are wrong." }),
  ];
  for (let step = 0; step < steps; step++) {
    const old = step > 30 && step % 2 === 1 ? limits[Math.floor(random() * (limits.length - 20))] : undefined;
    const what = `${pick(acts, random)} of the ${pick(things, random)} in ${pick(syllables, random)}${pick(syllables, random).toLowerCase()}`;
    const name = `lim${Math.floor(random() * 36 ** 6).toString(36)}Max${step}`;
    limits.push({ what, name });
    const shown = Array.from({ length: lines }, () => {
      const made = Math.floor(random() * 36 ** 5).toString(36);
      return `const at_${made} = ${Math.floor(random() * 900)}; // ${pick(acts, random)} and ${pick(acts, random)} of a ${pick(things, random)}`;
    });
    shown.splice(Math.floor(random() * lines), 0, `const ${name} = ${step}; // ${what}`);
    const asked =
      old === undefined
        ? { said: "The next module.", name: "read_module", args: { module: `m${step}` } }
        : { said: `The ${old.what}.`, name: "set_limit", args: { constant: old.name, next: `m${step}` } };
    messages.push(...madeStep({ id: step, ...asked, result: shown.join("\n") }));
  }
  return { set: "generated", id: `limits-${seed}`, messages };
}
