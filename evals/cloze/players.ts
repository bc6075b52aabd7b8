import type { BaseMessage } from "@langchain/core/messages";
import { MemoryBackend } from "@palimpsest/vfs";
import { stepsOf } from "../data/steps.js";
import type { Trajectory } from "../data/trajectory.js";
import { deepAgentsRun } from "../policies/deep-agents.js";
import { ladderRun, type LadderRun } from "../policies/palimpsest-ladder.js";
import { tightOptions } from "../policies/palimpsest-planned.js";
import type { PolicyRun } from "../policies/policy.js";
import { grepSearcher } from "./grep-searcher.js";
import type { PlayToEnd } from "./measure-cloze.js";
import { ourTools } from "./our-tools.js";
import { theirTools } from "./their-tools.js";

/** The real compaction node, searched with the agent's own `grep` and `read_file`. */
export const playLadder: PlayToEnd = (trajectory, window) => playOurs(trajectory, ladderRun(window));

/** The same with the planner and options for a small bill. */
export const playTight: PlayToEnd = (trajectory, window) =>
  playOurs(trajectory, ladderRun(window, tightOptions));

async function playOurs(trajectory: Trajectory, run: LadderRun): ReturnType<PlayToEnd> {
  const context = await lastContext(trajectory, run);
  return { context, searcher: grepSearcher("Palimpsest, grep + read_file", ourTools(run)) };
}

/** deepagents' summarization, searched with its own `grep` and `read_file`. */
export const playDeepAgents: PlayToEnd = async (trajectory, window) => {
  const run = deepAgentsRun(window, new MemoryBackend());
  const context = await lastContext(trajectory, run);
  return { context, searcher: grepSearcher("deepagents, grep + read_file", theirTools(run.backend)) };
};

async function lastContext(trajectory: Trajectory, run: PolicyRun): Promise<readonly BaseMessage[]> {
  let context: readonly BaseMessage[] = [];
  for (const { added, chunk } of stepsOf(trajectory)) {
    context = await run.context(added, { chunk, needed: [] });
  }
  return context;
}
