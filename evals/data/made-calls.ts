import type { MadeProject } from "./made-project.js";

/** A call and its result. */
export interface MadeCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly result: string;
}

/** The state from which calls are generated. */
export interface MadeWorld {
  readonly project: MadeProject;
  readonly random: () => number;
  /** Files that the agent has read, oldest first. */
  readonly read: string[];
  /** Needles: codes that occur in one result each, oldest first. */
  readonly codes: string[];
}

/** Returns a plausible next call of a coding agent. It names only what the agent was shown. */
export function makeCall(world: MadeWorld): MadeCall {
  const { random, read, codes } = world;
  const chance = random();
  if (read.length > 2 && chance < 0.35) return editFile(world);
  if (codes.length > 3 && chance < 0.5) return lookUp(world);
  if (chance < 0.65) return runTests(world);
  return readFile(world);
}

function readFile({ project, random, read }: MadeWorld): MadeCall {
  const path = pick(project.paths, random);
  read.push(path);
  return { name: "read_source", args: { path }, result: project.lines(path).join("\n") };
}

/** Edits lines that the agent has read, mostly in a file of the last steps. */
function editFile({ project, random, read }: MadeWorld): MadeCall {
  const back = 1 + Math.floor(random() ** 2 * read.length);
  const path = read.at(-back) ?? pick(project.paths, random);
  const from = Math.floor(random() * (project.lines(path).length - 4));
  const old = project.lines(path).slice(from, from + 3);
  const changed = project.edit(path, from, 3);
  return {
    name: "edit_source",
    args: { path, old_string: old.join("\n"), new_string: changed.join("\n") },
    result: `Edited ${path}.`,
  };
}

/** A log of noise with one code in it; sometimes very long. */
function runTests({ random, codes, project }: MadeWorld): MadeCall {
  const code = `FLT-${10_000 + Math.floor(random() * 89_999)}`;
  const length = Math.ceil(4 + 500 * random() ** 6);
  const log = Array.from(
    { length },
    (_, index) => `ok ${index} ${pick(project.paths, random)} (${Math.floor(random() * 900)} ms)`,
  );
  const serial = () => Math.floor(random() * 90_000);
  const place = () => `block${serial()} of case${serial()} under task${serial()}`;
  const at = () => Math.floor(random() * log.length);
  log.splice(at(), 0, `fault ${code} raised in ${place()}: ${pick(words, random)} value`);
  // A code that nothing asks for again.
  log.splice(at(), 0, `report ${10_000 + serial()} kept in ${place()}: ${pick(words, random)} run`);
  codes.push(code);
  return { name: "run_tests", args: { filter: pick(words, random) }, result: log.join("\n") };
}

/** Uses a code of any age: the far evidence of these runs. */
function lookUp({ random, codes }: MadeWorld): MadeCall {
  const code = pick(codes, random);
  return {
    name: "look_up_fault",
    args: { code },
    result: `${code}: a ${pick(words, random)} value came in twice.`,
  };
}

const words = ["empty", "nested", "stale", "signed", "shared", "frozen", "broken", "double"];

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}
