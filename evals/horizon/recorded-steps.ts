import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "@palimpsest/context";
import { isAi } from "@palimpsest/context/internal";
import type { Trajectory } from "../data/trajectory.js";

/**
 * Returns the steps of runs, one run after the other: what the agent says, of one or more messages in a row, and all
 * that comes before it speaks again.
 */
export function* recordedSteps(runs: readonly Trajectory[]): Generator<readonly BaseMessage[]> {
  for (const [at, { messages }] of runs.entries()) {
    const own = messages.map((message) => withRun(message, at));
    let step: BaseMessage[] = [];
    for (const [index, message] of own.entries()) {
      const previous = own[index - 1];
      if (previous !== undefined && isAi(message) && !isAi(previous)) {
        yield step;
        step = [];
      }
      step.push(message);
    }
    if (step.length > 0) yield step;
  }
}

/** Ids of messages and calls repeat from run to run, and one session holds them all. */
function withRun(message: BaseMessage, run: number): BaseMessage {
  return copyMessage(message, { id: `${run}-${message.id ?? ""}` });
}
