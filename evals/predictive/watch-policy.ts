import type { BaseMessage } from "@langchain/core/messages";
import { prefixOf } from "../cost/prefix.js";
import { farDistance, type Step } from "../data/steps.js";
import { textOf } from "../data/text-of.js";
import type { Policy } from "../policies/policy.js";
import { mean } from "../metrics/quantile.js";

/** Properties of a policy's contexts beside its recall. */
export interface Watched {
  /** Share of a prompt that the prompt before began with as well, over all steps but the first. */
  readonly prefix: number;
  /**
   * Share of what a step needs from more than 10 chunks ago that is in the context with its whole line and both lines
   * beside it: an index of names alone has none of it.
   */
  readonly strictFar: number;
}

/** Wraps a policy and records properties of its contexts while it is played. */
export function watchPolicy(
  policy: Policy,
  runs: readonly (readonly Step[])[],
): { readonly policy: Policy; readonly watched: () => Watched } {
  const prefixes: number[] = [];
  const stricts: number[] = [];
  let started = 0;
  const watching: Policy = {
    name: policy.name,
    start(options) {
      const steps = runs[started++ % runs.length] ?? [];
      const run = policy.start(options);
      const past: string[] = [];
      let before: readonly BaseMessage[] | undefined;
      let at = 0;
      return {
        async context(added, facts) {
          past.push(...added.map(textOf));
          const context = await run.context(added, facts);
          if (before !== undefined) {
            const { cached, tokens } = prefixOf(before, context);
            prefixes.push(cached / Math.max(1, tokens));
          }
          before = context;
          const far = steps[at++]?.needed.filter(({ distance }) => distance > farDistance) ?? [];
          if (far.length > 0) {
            const text = context.map(textOf).join("\n");
            const seen = far.filter(({ text: atom }) => past.some((one) => isSeenAround(one, atom, text)));
            stricts.push(seen.length / far.length);
          }
          return context;
        },
      };
    },
  };
  return { policy: watching, watched: () => ({ prefix: mean(prefixes), strictFar: mean(stricts) }) };
}

/** True when some place of the atom in a message is in the context with its line and the two beside it. */
function isSeenAround(message: string, atom: string, context: string): boolean {
  for (let at = message.indexOf(atom); at >= 0; at = message.indexOf(atom, at + atom.length)) {
    const start = lineStart(message, lineStart(message, at) - 1);
    const end = lineEnd(message, lineEnd(message, at + atom.length) + 1);
    if (context.includes(message.slice(start, end))) return true;
  }
  return false;
}

function lineStart(text: string, at: number): number {
  return at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = at >= text.length ? -1 : text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
