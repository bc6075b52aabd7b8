/** The outcome of one task on one system. */
export interface TargetedRow {
  readonly task: string;
  readonly law: string;
  readonly system: string;
  /** "scripted", or the name of the model. */
  readonly player: string;
  /** Which repetition, from 0. */
  readonly repetition: number;
  /** Absent when the system lacks the tool that the task is about. */
  readonly passed?: boolean;
  readonly detail: string;
  readonly peakTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly seconds: number;
  /** What the judge said of the last answer; absent without one. */
  readonly judged?: { readonly passed: boolean; readonly why: string };
  readonly answer: string;
}

/** Returns the key of a row, unique in a run. Pure. */
export function rowKey({
  task,
  system,
  player,
  repetition,
}: Pick<TargetedRow, "task" | "system" | "player" | "repetition">): string {
  return JSON.stringify([player, task, system, repetition]);
}
