import { HumanMessage } from "@langchain/core/messages";
import { liveModel } from "../live/live-model.js";
import type { AgentOptions, TargetedSystem } from "./agents/agent.js";
import { ModelLog } from "./agents/model-log.js";
import { ScriptedAgentModel } from "./agents/scripted-agent-model.js";
import { judgeAnswer } from "./live/judge.js";
import { scripted, type RowName, type TargetedRow } from "./row.js";
import type { Outcome, Script, TargetedTask } from "./task.js";

/** A model that plays the agent, in place of its script. */
export interface Player {
  readonly name: string;
  readonly baseUrl?: string;
  /** Name of the model that judges. @default the same */
  readonly judge?: string;
}

export interface PlayOptions {
  readonly task: TargetedTask;
  readonly system: TargetedSystem;
  readonly repetition: number;
  /** Undefined for the task's script. */
  readonly player: Player | undefined;
}

/** Returns the name of the row that a play gives. */
export function rowName({ task, system, repetition, player }: PlayOptions): RowName {
  return { task: task.name, system: system.name, player: player?.name ?? scripted, repetition };
}

/** Returns what came of a task on a system. */
export async function play(options: PlayOptions): Promise<TargetedRow> {
  const { task, system, player } = options;
  const nothing = { peakTokens: 0, inputTokens: 0, outputTokens: 0, seconds: 0, answer: "" };
  if (task.compactTool === true && !system.vocabulary.hasCompactTool)
    return { ...rowName(options), ...nothing, detail: "has no such tool" };
  const start = performance.now();
  const model = player === undefined ? scriptOf(task, system) : modelOf(player, task);
  if (model === undefined)
    return { ...rowName(options), ...nothing, detail: "needs the judgement of a model: use --model" };
  const outcome = await outcomeOf(options, model);
  const { log, deaths, answers } = outcome;
  const { passed, detail } = task.check(outcome);
  const judged = player === undefined ? undefined : await judgedBy(player, task, outcome);
  return {
    ...rowName(options),
    passed: passed && deaths.length === 0 && judged?.passed !== false,
    detail: [detail, ...deaths.slice(0, 1).map((death) => `ended by: ${death.slice(0, 120)}`)].join("; "),
    peakTokens: Math.round(log.peakTokens),
    inputTokens: log.inputTokens + (judged?.inputTokens ?? 0),
    outputTokens: log.outputTokens + (judged?.outputTokens ?? 0),
    seconds: (performance.now() - start) / 1_000,
    ...(judged === undefined ? {} : { judged: { passed: judged.passed, why: judged.why } }),
    answer: (answers.at(-1) ?? "").slice(0, 500),
  };
}

function scriptOf({ script, window }: TargetedTask, { vocabulary }: TargetedSystem) {
  const played = (own: Script) => new ScriptedAgentModel((prompt) => own(prompt, vocabulary), window);
  return script && played(script);
}

function modelOf({ name, baseUrl }: Player, { window }: TargetedTask) {
  return liveModel({ name, window, ...(baseUrl === undefined ? {} : { baseUrl }) });
}

function judgedBy(player: Player, task: TargetedTask, outcome: Outcome) {
  if (task.judge === undefined) return undefined;
  return judgeAnswer(modelOf({ ...player, name: player.judge ?? player.name }, task), task, outcome);
}

/** Plays a task. An error that ends a turn is part of the outcome. */
async function outcomeOf({ task, system }: PlayOptions, model: AgentOptions["model"]): Promise<Outcome> {
  const log = new ModelLog();
  const agent = await system.start({ task, model, log });
  const [answers, deaths]: [string[], string[]] = [[], []];
  try {
    for (const [index, turn] of task.turns.entries()) {
      const before = index === 0 ? (task.before ?? []) : [];
      const asked = new HumanMessage({ id: `turn-${index}`, content: turn });
      try {
        answers.push(await agent.say([...before, asked]));
      } catch (error) {
        deaths.push(error instanceof Error ? error.message : String(error));
        answers.push("");
      }
    }
  } finally {
    agent.close?.();
  }
  return { answers, deaths, log };
}
