import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { makeCall, type MadeWorld } from "./made-calls.js";
import { makeProject } from "./made-project.js";
import { randomFrom } from "../random-from.js";
import type { Trajectory } from "../trajectory.js";

export interface GenerateOptions {
  readonly seed: number;
  /** Calling steps. @default 120 */
  readonly steps?: number;
  /** Calling steps of a task; then the user asks for the next. @default 30 */
  readonly taskSteps?: number;
}

const constraints = [
  "Never touch files under vendor.",
  "Keep the public names.",
  "Do not add a dependency.",
  "The log must stay in English.",
  "Always run the tests before you stop.",
];

/**
 * Returns a generated run of a coding agent: tasks with constraints that the user changes, reads, edits of lines that it has
 * read, test logs of very different sizes, and calls that need of them, many steps later, a code among its near-duplicates, the newest
 * of several values, or two strings from two results.
 */
export function generateTrajectory({ seed, steps = 120, taskSteps = 30 }: GenerateOptions): Trajectory {
  const random = randomFrom(seed);
  const world: MadeWorld = {
    project: makeProject(random),
    random,
    read: [],
    codes: [],
    settings: new Map(),
    halves: { left: [], right: [] },
    lastLog: "",
  };
  const messages: BaseMessage[] = [];
  for (let step = 0; step < steps; step++) {
    if (step % taskSteps === 0) messages.push(taskOf(step / taskSteps));
    if (step % taskSteps === Math.floor(taskSteps / 2)) messages.push(changeOf(Math.floor(step / taskSteps)));
    messages.push(...stepOf(step, world));
  }
  messages.push(new AIMessage({ id: "end", content: "All modules are ported." }));
  return { set: "generated", id: `seed-${seed}`, messages };
}

function taskOf(task: number): BaseMessage {
  const content = `Task ${task}: port part ${task} of the project. ${constraints[task % constraints.length]}`;
  return new HumanMessage({ id: `h${task}`, content });
}

/** The user changes their mind in the middle of a task. */
function changeOf(task: number): BaseMessage {
  const [old, now] = [constraints[task % constraints.length], constraints[(task + 2) % constraints.length]];
  const content = `I changed my mind about task ${task}. "${old}" no longer matters. Instead: ${now}`;
  return new HumanMessage({ id: `m${task}`, content });
}

function stepOf(step: number, world: MadeWorld): readonly BaseMessage[] {
  const made = Array.from({ length: 1 + Math.floor(world.random() * 3) }, () => makeCall(world));
  const calls = made.map(({ name, args }, at) => ({
    id: `call-${step}-${at}`,
    type: "tool_call" as const,
    name,
    args,
  }));
  const named = made.map(({ name }) => name.replaceAll("_", " "));
  const content = `Step ${step}: ${[...new Set(named)].join(", then ")}.`;
  const results = made.map(
    ({ name, result }, at) =>
      new ToolMessage({ id: `t${step}-${at}`, name, tool_call_id: `call-${step}-${at}`, content: result }),
  );
  return [new AIMessage({ id: `a${step}`, content, tool_calls: calls }), ...results];
}
