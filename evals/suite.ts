/** A table as a reader sees it: the first column names the row. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** What a reader needs to interpret it: the budget, the bias, who wins. */
  readonly note?: string;
}

export interface Axis {
  readonly label: string;
  readonly scale: "linear" | "log";
}

/** A line with an optional band, or one point with its intervals: `low` to `high` of y, `xLow` to `xHigh` of x. */
export interface Series {
  readonly label: string;
  readonly points: readonly {
    readonly x: number;
    readonly y: number;
    readonly low?: number;
    readonly high?: number;
    readonly xLow?: number;
    readonly xHigh?: number;
    /** Stands beside the point. */
    readonly text?: string;
  }[];
}

export interface Chart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  readonly note?: string;
}

/** One measure of Palimpsest beside the same measure of others, under the same conditions: what the verdict is computed from. */
export interface Comparison {
  /** What is measured, with its conditions: "recall at 8k tokens, coding runs". */
  readonly measure: string;
  readonly unit: "share" | "tokens" | "bytes" | "ms" | "count" | "ratio";
  readonly better: "higher" | "lower";
  readonly ours: number;
  /** Systems and baselines that a user could choose instead. Excludes the ceiling (oracle, full history) and the random control. */
  readonly rivals: readonly { readonly name: string; readonly value: number }[];
  /** Differences up to this size, in `unit`, count as level: the noise of the measure. */
  readonly margin: number;
}

/** The result of a suite. A suite that played no case has not passed. */
export interface SuiteResult {
  readonly suite: string;
  /** The question that it answers, as a sentence. */
  readonly question: string;
  readonly cases: number;
  /** True when every requirement on Palimpsest held. */
  readonly passed: boolean;
  readonly tables: readonly Table[];
  /** What a table cannot show. @default none */
  readonly charts?: readonly Chart[];
  /** What the verdict of the report is computed from. Each names at least one rival. @default none */
  readonly comparisons?: readonly Comparison[];
  /** Figures of our strategies, from which `docs/choosing.md` is written: a title is a heading of that page. @default none */
  readonly choices?: readonly Table[];
  /** What this run is too small to tell, a sentence each. @default none */
  readonly tooSmall?: readonly string[];
  /** Everything measured, for a program to read. */
  readonly numbers: unknown;
}

/** A part of a suite: what it measured, before the suite gives it a name. */
export type SuitePart = Omit<SuiteResult, "suite" | "question" | "numbers"> & { readonly numbers: object };

/** Returns the result of a suite of several parts, which holds when every one played a case and holds. Pure. */
export function joinParts(
  named: Pick<SuiteResult, "suite" | "question">,
  parts: readonly SuitePart[],
): SuiteResult {
  return {
    ...named,
    cases: parts.reduce((sum, { cases }) => sum + cases, 0),
    passed: parts.every(({ passed, cases }) => passed && cases > 0),
    tables: parts.flatMap(({ tables }) => tables),
    charts: parts.flatMap(({ charts = [] }) => charts),
    comparisons: parts.flatMap(({ comparisons = [] }) => comparisons),
    tooSmall: parts.flatMap(({ tooSmall = [] }) => tooSmall),
    numbers: Object.assign({}, ...parts.map(({ numbers }) => numbers)) as object,
  };
}

export interface SuiteOptions {
  /** Folder of recorded runs. Without it a suite plays generated ones. */
  readonly data?: string;
  /** Small enough for `npm test`. @default false */
  readonly quick?: boolean;
  /** The suite's own command-line arguments. */
  readonly args: readonly string[];
  /** Reports progress to a person. */
  readonly progress: (line: string) => void;
}

export type Suite = (options: SuiteOptions) => Promise<SuiteResult>;
