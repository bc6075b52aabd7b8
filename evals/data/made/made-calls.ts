import type { MadeProject } from "./made-project.js";
import { pick } from "../pick.js";

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
  /** Needles: codes that occur in one result each, oldest first. Others that nothing asks for differ from each in two digits. */
  readonly codes: string[];
  /** Key -> its newest value, in the order in which they were last shown. */
  readonly settings: Map<string, string>;
  /** Halves of keys, each shown in another result. */
  readonly halves: { readonly left: string[]; readonly right: string[] };
  /** The last log, for a tool that returns the same again. */
  lastLog: string;
}

/** A kind of call, how likely it is, and when it is possible. */
interface Kind {
  readonly weight: number;
  readonly isPossible: (world: MadeWorld) => boolean;
  readonly make: (world: MadeWorld) => MadeCall;
}

const always = (): boolean => true;

const kinds: readonly Kind[] = [
  { weight: 22, isPossible: ({ read }) => read.length > 2, make: editFile },
  { weight: 14, isPossible: ({ codes }) => codes.length > 3, make: lookUp },
  { weight: 12, isPossible: ({ settings }) => settings.size > 3, make: applySetting },
  {
    weight: 8,
    isPossible: ({ halves }) => Math.min(halves.left.length, halves.right.length) > 1,
    make: joinHalves,
  },
  { weight: 12, isPossible: always, make: showSettings },
  { weight: 16, isPossible: always, make: runTests },
  { weight: 5, isPossible: ({ lastLog }) => lastLog !== "", make: showLogAgain },
  { weight: 20, isPossible: always, make: readFile },
];

/** Returns a plausible next call of a coding agent. It names only what the agent was shown. */
export function makeCall(world: MadeWorld): MadeCall {
  const possible = kinds.filter(({ isPossible }) => isPossible(world));
  let left = world.random() * possible.reduce((sum, { weight }) => sum + weight, 0);
  const chosen = possible.find(({ weight }) => (left -= weight) < 0) ?? possible.at(-1);
  return (chosen?.make ?? readFile)(world);
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

/** A log of noise with one code, one half of a key and some near-duplicates of the code in it; sometimes very long. */
function runTests(world: MadeWorld): MadeCall {
  const { random, codes, project, halves } = world;
  const code = 10_000 + Math.floor(random() * 89_999);
  const length = Math.ceil(4 + 500 * random() ** 6);
  const log = Array.from(
    { length },
    (_, index) => `ok ${index} ${pick(project.paths, random)} (${Math.floor(random() * 900)} ms)`,
  );
  const put = (line: string) => log.splice(Math.floor(random() * log.length), 0, line);
  put(`fault FLT-${code} raised in ${placeOf(random)}: ${pick(words, random)} value`);
  for (const other of [swapped(code, 10), swapped(code, 1_000)])
    put(`fault FLT-${other} passed in ${placeOf(random)}: ${pick(words, random)} value`);
  put(`report ${serialOf(random)} kept in ${placeOf(random)}: ${pick(words, random)} run`);
  const side = random() < 0.5 ? "left" : "right";
  const half = `${side}${serialOf(random)}x`;
  put(`${side} half of the key of ${pick(project.paths, random)}: ${half}`);
  halves[side].push(half);
  codes.push(`FLT-${code}`);
  world.lastLog = log.join("\n");
  return { name: "run_tests", args: { filter: pick(words, random) }, result: world.lastLog };
}

/** Some tools return again what they have returned before. */
function showLogAgain({ lastLog }: MadeWorld): MadeCall {
  return { name: "show_log", args: {}, result: lastLog };
}

/** Shows settings of which some have changed: what was shown before is no longer right. */
function showSettings({ random, settings }: MadeWorld): MadeCall {
  const lines = Array.from({ length: 6 }, () => {
    const key = `${pick(words, random)}_${pick(areas, random)}_limit`;
    const isNew = !settings.has(key) || random() < 0.5;
    const value = isNew ? String(100_000 + Math.floor(random() * 899_999)) : (settings.get(key) ?? "");
    settings.delete(key);
    settings.set(key, value);
    return `${key} = ${value} # ${pick(words, random)} in ${placeOf(random)}`;
  });
  return { name: "show_settings", args: { area: pick(areas, random) }, result: lines.join("\n") };
}

/** Needs the newest value of a setting, of any age. */
function applySetting({ random, settings }: MadeWorld): MadeCall {
  const [key, value] = pick([...settings], random);
  return { name: "apply_setting", args: { key, value }, result: `Applied ${key}.` };
}

/** Needs two strings that two results showed. */
function joinHalves({ random, halves }: MadeWorld): MadeCall {
  const [left, right] = [pick(halves.left, random), pick(halves.right, random)];
  return { name: "join_key", args: { left, right }, result: `Joined at ${placeOf(random)}.` };
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
const areas = ["upload", "render", "mailer", "export", "billing", "search"];

function serialOf(random: () => number): number {
  return 10_000 + Math.floor(random() * 80_000);
}

function placeOf(random: () => number): string {
  return `block${serialOf(random)} of case${serialOf(random)} under task${serialOf(random)}`;
}

/** The same digits, two of them exchanged: at most a digit apart where they are equal. */
function swapped(code: number, at: number): number {
  const [low, high] = [Math.floor(code / at) % 10, Math.floor(code / (at * 10)) % 10];
  const changed = code + (high - low) * at + (low - high) * at * 10;
  return changed === code ? code + at : changed;
}
