import { fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { keptRuns, type KeptRun } from "../report/kept-runs.js";
import type { CommandLine } from "./command-line.js";

/** Suites that run at the same time. */
const most = 2;

/** Runs each suite in a process of its own, two at a time where there are two cores. Returns the runs of those that ended. */
export async function runApart(
  part: URL,
  names: readonly string[],
  line: CommandLine,
): Promise<readonly KeptRun[]> {
  const open = [...names];
  const kept = new Set<string>();
  async function playOn(): Promise<void> {
    for (let name = open.shift(); name !== undefined; name = open.shift()) {
      const suite = await play(part, name, line);
      if (suite !== undefined) kept.add(suite);
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, availableParallelism()) }, playOn));
  return keptRuns(names).filter(({ result }) => kept.has(result.suite));
}

/** Resolves with the name of the kept run; undefined if the suite threw. */
async function play(
  part: URL,
  name: string,
  { data, quick, json }: CommandLine,
): Promise<string | undefined> {
  const options = [
    ...(data === undefined ? [] : ["--data", data]),
    ...(quick ? ["--quick"] : []),
    ...(json ? ["--json"] : []),
  ];
  const child = fork(part, [name, ...options], { execArgv: process.execArgv });
  let kept: string | undefined;
  child.on("message", (suite: unknown) => {
    if (typeof suite === "string") kept = suite;
  });
  await new Promise((resolve, reject) => child.once("exit", resolve).once("error", reject));
  return kept;
}
