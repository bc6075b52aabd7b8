import type { CompactingSystem } from "../compactbench/systems.js";
import { groupsOf } from "../metrics/groups-of.js";
import { nothing, type PlayedQuestion, type Sums } from "./play-thread.js";

/** A thread of questions on a system in a window. */
export interface PlayedThread {
  readonly system: CompactingSystem;
  readonly window: number;
  readonly questions: readonly PlayedQuestion[];
}

/** A system in a window, over all threads. */
export interface Row extends Pick<PlayedThread, "system" | "window"> {
  readonly questions: number;
  readonly right: number;
  /** Questions whose records take at most half of the window. */
  readonly roomy: number;
  readonly rightRoomy: number;
  /** Share of right answers of the thread with the fewest. */
  readonly worstRight: number;
  readonly sums: Readonly<Sums>;
}

/** Returns a row for each system and window, in the order of the threads. Pure. */
export function rowsOf(threads: readonly PlayedThread[]): readonly Row[] {
  const groups = groupsOf(threads, ({ system, window }) => `${system.name}|${window}`);
  return groups.map(([, group]) => {
    const { system, window } = group[0]!;
    const all = group.flatMap(({ questions }) => questions);
    const roomy = all.filter(({ isRoomy }) => isRoomy);
    return {
      system,
      window,
      questions: all.length,
      right: rightOf(all),
      roomy: roomy.length,
      rightRoomy: rightOf(roomy),
      worstRight: Math.min(...group.map(({ questions }) => rightOf(questions) / questions.length)),
      sums: sumsOf(all),
    };
  });
}

/** Returns the rivals of a row: the others in its window all of whose prompts can be sent. Pure. */
export function rivalsOf(row: Row, rows: readonly Row[]): readonly Row[] {
  return rows.filter(
    ({ system, window, sums }) =>
      window === row.window && sums.unfit === 0 && system.isOurs !== true && system.isControl !== true,
  );
}

/**
 * True where the full history answers all questions; every prompt of ours is legal, inside the window and has the question;
 * and ours answers as many as the best rival, of those whose records take at most half of the window. Pure.
 */
export function holds(rows: readonly Row[]): boolean {
  const ours = rows.filter(({ system }) => system.isOurs === true);
  const controls = rows.filter(({ system }) => system.isControl === true);
  return (
    ours.length > 0 &&
    controls.every(({ right, questions }) => right === questions) &&
    ours.every(({ sums }) => sums.unfit + sums.illegal + sums.withoutQuestion === 0) &&
    ours.every((row) => rivalsOf(row, rows).every(({ rightRoomy }) => row.rightRoomy >= rightRoomy))
  );
}

function rightOf(questions: readonly PlayedQuestion[]): number {
  return questions.filter(({ isRight }) => isRight).length;
}

function sumsOf(questions: readonly PlayedQuestion[]): Sums {
  const total = { ...nothing };
  for (const { sums } of questions)
    for (const name of Object.keys(nothing) as (keyof Sums)[]) total[name] += sums[name];
  return total;
}
