/** Which play a row is of. */
export interface RowName {
  readonly task: string;
  readonly system: string;
  /** "scripted", or the name of the model. */
  readonly player: string;
  /** Which repetition, from 0. */
  readonly repetition: number;
}

/** The outcome of one task on one system. */
export interface TargetedRow extends RowName {
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

export const scripted = "scripted";
