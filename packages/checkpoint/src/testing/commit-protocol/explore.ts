import { CommitModel, initialState, type Bounds, type Mistake } from "./commit-model.js";
import { sortProcesses } from "./model-state.js";
import { StateSet } from "./state-set.js";

export interface Explored {
  readonly states: number;
  /** True if every reachable state was visited. */
  readonly isComplete: boolean;
  /** What is wrong in the first bad state, and the effects that led to it. */
  readonly violation?: { readonly what: string; readonly trace: readonly string[] };
}

interface ExploreOptions {
  readonly bounds: Bounds;
  readonly mistake?: Mistake;
  /** @default 20,000,000 */
  readonly maxStates?: number;
}

/** Visits every state that the processes can reach, depth first, up to a number of states or the first bad one. */
export function explore({ bounds, mistake, maxStates = 20_000_000 }: ExploreOptions): Explored {
  const model = new CommitModel(mistake);
  const seen = new StateSet();
  const trace: string[] = [];
  let violation: Explored["violation"];
  const visit = (label: string, state: Uint8Array): void => {
    if (violation !== undefined || seen.size >= maxStates) return;
    sortProcesses(state);
    if (!seen.add(state)) return;
    trace.push(label);
    const what = model.violation(state);
    if (what === undefined) model.successors(state, visit);
    else violation = { what, trace: [...trace] };
    trace.pop();
  };
  visit("starts", initialState(bounds));
  const isComplete = violation === undefined && seen.size < maxStates;
  return { states: seen.size, isComplete, ...(violation === undefined ? {} : { violation }) };
}
