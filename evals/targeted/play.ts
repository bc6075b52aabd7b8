import type { TargetedSystem } from "./agents/agent.js";
import { ScriptedAgentModel } from "./agents/scripted-agent-model.js";
import { judgeAnswer } from "./live/judge.js";
import { liveModel } from "../live/live-model.js";
import type { TargetedRow } from "./row.js";
import { runTask } from "./run-task.js";
import type { TargetedTask } from "./task.js";

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
  /** @default the task's script */
  readonly player?: Player;
  readonly signal?: AbortSignal;
}

/** Returns what came of a task on a system. A stop by the signal is thrown. */
export async function play({ task, system, repetition, player, signal }: PlayOptions): Promise<TargetedRow> {
  const start = performance.now();
  const base = {
    task: task.name,
    law: task.law,
    system: system.name,
    player: player?.name ?? "scripted",
    repetition,
  };
  const nothing = { peakTokens: 0, inputTokens: 0, outputTokens: 0, seconds: 0, answer: "" };
  const { vocabulary } = system;
  if (task.compactTool === true && !vocabulary.hasCompactTool)
    return { ...base, ...nothing, detail: "has no such tool" };
  const { script, window } = task;
  if (player === undefined && script === undefined)
    return { ...base, ...nothing, detail: "needs the judgement of a model: use --model" };
  const make = (name: string) =>
    liveModel({ name, window, ...(player?.baseUrl === undefined ? {} : { baseUrl: player.baseUrl }) });
  const model =
    player === undefined && script !== undefined
      ? new ScriptedAgentModel({ script, vocabulary, window })
      : make(player?.name ?? "");
  const outcome = await runTask({ task, system, model, ...(signal === undefined ? {} : { signal }) });
  const check = task.check(outcome);
  const judged =
    player === undefined || task.judge === undefined
      ? undefined
      : await judgeAnswer(make(player.judge ?? player.name), task, outcome);
  const { deaths, peakTokens, answers } = outcome;
  return {
    ...base,
    passed: check.passed && deaths.length === 0 && judged?.passed !== false,
    detail:
      deaths.length === 0 ? check.detail : `${check.detail}; ended by: ${(deaths[0] ?? "").slice(0, 120)}`,
    peakTokens: Math.round(peakTokens),
    inputTokens: outcome.inputTokens + (judged?.inputTokens ?? 0),
    outputTokens: outcome.outputTokens + (judged?.outputTokens ?? 0),
    seconds: (performance.now() - start) / 1_000,
    ...(judged === undefined ? {} : { judged: { passed: judged.passed, why: judged.why } }),
    answer: (answers.at(-1) ?? "").slice(0, 500),
  };
}
