import type { LaneView, ModelUsage, StepRow } from "../view.js";
import { sumByModel } from "./cost/sum-by-model.js";

/** A subagent: when it ran, what its models reported, and the subagents that it started. */
export interface AgentView extends LaneView {
  /** Of its own calls, without those of its subagents. */
  readonly usage: readonly ModelUsage[];
  readonly folds: number;
  readonly errors: number;
  readonly agents: readonly AgentView[];
}

/** Returns a subagent with what its rows, as of `firstSeen`, say of it. Pure. */
export function agentView(lane: LaneView, rows: readonly StepRow[], agents: readonly AgentView[]): AgentView {
  const reported = rows.flatMap(({ calls }) => calls.flatMap((call) => call.reported ?? []));
  return {
    ...lane,
    usage: sumByModel(reported),
    folds: rows.reduce((sum, { folds }) => sum + folds.length, 0),
    errors: rows.reduce((sum, { faults }) => sum + faults.length, 0),
    agents,
  };
}

/** All subagents with one name. */
export interface AgentSum {
  readonly name: string;
  readonly runs: number;
  readonly usage: readonly ModelUsage[];
}

/** Adds up subagents by name, those that others started among them, in the order in which the names come first. Pure. */
export function agentSums(agents: readonly AgentView[]): readonly AgentSum[] {
  const sums = new Map<string, AgentSum>();
  for (const { name: numbered, usage } of everyAgent(agents)) {
    // Runs of one node have a number after its name.
    const name = numbered.replace(/ \d+$/u, "");
    const known = sums.get(name) ?? { name, runs: 0, usage: [] };
    sums.set(name, { name, runs: known.runs + 1, usage: sumByModel([...known.usage, ...usage]) });
  }
  return [...sums.values()];
}

function everyAgent(agents: readonly AgentView[]): readonly AgentView[] {
  return agents.flatMap((agent) => [agent, ...everyAgent(agent.agents)]);
}
