import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { idField, type Draft } from "./drafts.js";
import { largeTurnArbitrary } from "./large-drafts.js";
import { nativeOddityArbitrary, oddityArbitrary } from "./oddity.js";
import { humanArbitrary, stepArbitrary } from "./turn-drafts.js";

export interface HistoryOptions {
  /** Turns, each a user message and the model's steps. @default 4 */
  readonly maxTurns?: number;
  /** Steps of a turn; each calls 0 to 5 tools. @default 3 */
  readonly maxSteps?: number;
  /** Late, missing and orphaned results, misplaced system messages, foreign classes, missing and repeated ids. @default 3 */
  readonly maxOddities?: number;
  /** Tokens of a window: up to three messages, in any role, have 0.3 to 3 times as many. @default no large messages */
  readonly large?: number;
  /** Compactions that a provider made, in its forms and places. @default 0 */
  readonly maxNative?: number;
}

/**
 * Returns message histories of agents, in the forms of several providers, for property tests.
 *
 * With `maxOddities: 0` every call is followed by its results, ids are unique and system messages come first. Shrinks to fewer
 * turns, steps, calls and oddities and to shorter texts. Every run gets new message objects.
 */
export function historyArbitrary(options: HistoryOptions = {}): fc.Arbitrary<BaseMessage[]> {
  const { maxTurns = 4, maxSteps = 3, maxOddities = 3, large, maxNative = 0 } = options;
  const turn = fc.record({
    human: humanArbitrary(),
    steps: fc.array(stepArbitrary(), { maxLength: maxSteps }),
  });
  const parts = fc.record({
    systems: fc.integer({ min: 0, max: 2 }),
    turns: fc.array(turn, { maxLength: maxTurns }),
    oddities: fc.array(oddityArbitrary(), { maxLength: maxOddities }),
    natives: fc.array(nativeOddityArbitrary(), { maxLength: maxNative }),
    large: fc.array(fc.tuple(fc.nat(100), largeTurnArbitrary(large ?? 0)), {
      maxLength: large === undefined ? 0 : 3,
    }),
    reusedCallIds: fc.boolean(),
    oddIds: fc.array(fc.tuple(fc.nat(1_000), fc.constantFrom(undefined, "", "m0")), {
      maxLength: maxOddities,
    }),
  });
  return parts.map(({ systems, turns, large: largeTurns, natives, oddities, reusedCallIds, oddIds }) => {
    let steps = 0;
    const drafted = turns.map(({ human, steps: taken }) => [
      human,
      ...taken.flatMap((step) => {
        const prefix = reusedCallIds ? "" : `${steps++}_`;
        return step((call) => `call_${prefix}${call}`);
      }),
    ]);
    const all = largeTurns.reduce<readonly (readonly Draft[])[]>(
      (list, [at, turn], index) => list.toSpliced(1 + (at % list.length), 0, turn(`large_${index}`)),
      // A history never starts with the model.
      drafted.length === 0 && largeTurns.length > 0 ? [[task]] : drafted,
    );
    const drafts: readonly Draft[] = [...Array.from({ length: systems }, () => prompt), ...all.flat()];
    const odd = [...oddities, ...natives].reduce((list, oddity) => oddity(list), drafts);
    const ids = new Map(oddIds.map(([at, id]) => [at % Math.max(1, odd.length), id]));
    return odd.map((draft, index) => draft.build(ids.has(index) ? ids.get(index) : `m${index}`));
  });
}

const task: Draft = {
  kind: "human",
  build: (id) => new HumanMessage({ ...idField(id), content: "Find every value." }),
};

const prompt: Draft = {
  kind: "system",
  build: (id) => new SystemMessage({ ...idField(id), content: "You are an engineer. Never push to main." }),
};
