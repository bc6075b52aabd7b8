import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { goalDrift } from "@palimpsest/context/internal";
import { sessionSets } from "../../data/run-sets.js";
import type { Trajectory } from "../../data/trajectory.js";
import type { Table } from "../../suite.js";
import { tableOf } from "../../report/table-of.js";
import { quantile } from "../../metrics/quantile.js";
import { sumOf } from "../../metrics/sum-of.js";

/** The number of calls that the documentation proposes. */
const driftCalls = 12;
/** Tool calls of a run whose second half is put behind the first half of another. */
const longRun = 40;

interface DriftCount {
  readonly set: string;
  readonly runs: number;
  /** Runs, as they were recorded, in which an alarm is raised. */
  readonly alarmed: number;
  /** First halves of these runs, each followed by the work of a run with another goal. */
  readonly drifting: number;
  /** Those in which an alarm is raised. */
  readonly found: number;
  /** Calls until then, in the middle. */
  readonly medianCalls: number | undefined;
}

/** Plays recorded runs as they were, and drifting ones that are made of two of them. */
export async function measureDrift(data: string): Promise<readonly DriftCount[]> {
  const sets = await sessionSets(data, ["tau-bench-airline"]);
  const long = sets
    .flatMap(({ trajectories }) => trajectories)
    .filter(({ messages }) => callsIn(messages) >= longRun);
  return sets.map(({ name, trajectories }) => {
    const alarms = trajectories.map(({ messages }) => callsUntilAlarm(messages, 0));
    const made = trajectories.flatMap((run) =>
      long.filter((other) => other.set !== run.set).map((other) => drifted(run, other)),
    );
    const found = made.flatMap(({ messages, from }) => callsUntilAlarm(messages, from) ?? []);
    return {
      set: name,
      runs: trajectories.length,
      alarmed: alarms.filter((calls) => calls !== undefined).length,
      drifting: made.length,
      found: found.length,
      medianCalls: found.length === 0 ? undefined : quantile(found, 0.5),
    };
  });
}

/** Returns what the alarm finds in recorded runs. */
export function driftTable(counts: readonly DriftCount[]): Table {
  return tableOf(counts, {
    title: `Goal drift: an alarm after ${driftCalls} calls without a word in common with the goal`,
    columns: [
      ["runs", ({ set }) => set],
      ["recorded", ({ runs }) => runs],
      ["false alarms", ({ alarmed }) => alarmed],
      ["drifting", ({ drifting }) => drifting],
      ["found", ({ found }) => found],
      ["calls until then, in the middle", ({ medianCalls }) => medianCalls ?? "–"],
    ],
    note:
      "A drifting run is the first half of a run, followed by the work of a run of another set, without its user. A goal of many " +
      "words, such as an issue with its text, has one in common with nearly every call: there the alarm finds nothing.",
  });
}

function drifted(run: Trajectory, other: Trajectory) {
  const head = run.messages.slice(0, Math.ceil(run.messages.length / 2));
  const work = other.messages
    .slice(Math.ceil(other.messages.length / 2))
    .filter((message) => message.getType() === "ai" || message.getType() === "tool");
  return { messages: [...head, ...work], from: head.length };
}

/** Returns the calls from a message on until an alarm is raised; undefined without one. */
function callsUntilAlarm(messages: readonly BaseMessage[], from: number): number | undefined {
  for (let at = from; at < messages.length; at++) {
    if (messages[at]?.getType() !== "ai") continue;
    if (goalDrift(messages.slice(0, at + 1)).calls >= driftCalls)
      return callsIn(messages.slice(from, at + 1));
  }
  return undefined;
}

function callsIn(messages: readonly BaseMessage[]): number {
  return sumOf(messages, (message) => toolCalls(message).length);
}
