import { isToolResult } from "@palimpsest/context/internal";
import { textOf } from "../../data/text-of.js";
import type { HorizonSystem } from "../system.js";
import { sumOf } from "../../metrics/sum-of.js";

/** Sends all of the thread but the tool results that are older than the newest `keepSteps` steps. */
export function maskResults(keepSteps: number): HorizonSystem {
  return {
    name: `mask M = ${keepSteps}`,
    start() {
      const old: string[] = [];
      let oldCharacters = 0;
      const newest: { readonly whole: readonly string[]; readonly masked: readonly string[] }[] = [];
      return {
        async step(added) {
          newest.push({
            whole: added.map(textOf),
            masked: added.filter((message) => !isToolResult(message)).map(textOf),
          });
          if (newest.length > keepSteps) {
            const { masked = [] } = newest.shift() ?? {};
            old.push(...masked);
            oldCharacters += sumOf(masked, ({ length }) => length);
          }
          const newCharacters = sumOf(newest, ({ whole }) => sumOf(whole, ({ length }) => length));
          return (oldCharacters + newCharacters) / 4;
        },
        prompt: () => [...old, ...newest.flatMap(({ whole }) => whole)].join("\n"),
      };
    },
  };
}
