import { atomsOf } from "../data/atoms.js";
import { textOf } from "../data/text-of.js";
import type { FoldedContext } from "./fold-run.js";
import { rulesOf } from "./rules-of.js";

/** Where strings that must be reachable are found. */
export interface Reach {
  readonly atoms: number;
  readonly visible: number;
  /** In a file that the context names. */
  readonly named: number;
  /** In a file that such a file names, at any depth. */
  readonly linked: number;
}

const archivePath = /\/context\/[\w./-]+\.(?:md|txt|json)\b/g;

/**
 * Returns where the rules of the user and the strings of all calls so far are: in sight, in a file that the context
 * names, in one that is named there, or nowhere. Follows the paths as an agent would, from the text alone.
 */
export async function inReach({ thread, context, read }: FoldedContext): Promise<Reach> {
  const calls = thread.flatMap((message) => atomsOf(message)).filter(({ kind }) => kind !== "line");
  const atoms = [...new Set([...rulesOf(thread), ...calls.map(({ text }) => text)])];
  const shown = context.map(textOf).join("\n");
  const named = await readAll(pathsIn(shown), read);
  const linked = await followAll(named, read);
  const where = atoms.map((atom) => {
    if (shown.includes(atom)) return "visible";
    if (has(named, atom)) return "named";
    return has(linked, atom) ? "linked" : "nowhere";
  });
  const count = (place: string) => where.filter((one) => one === place).length;
  return { atoms: atoms.length, visible: count("visible"), named: count("named"), linked: count("linked") };
}

type Files = ReadonlyMap<string, string>;

function pathsIn(text: string): readonly string[] {
  return [...new Set(text.match(archivePath) ?? [])];
}

async function readAll(paths: readonly string[], read: FoldedContext["read"]): Promise<Files> {
  const files = new Map<string, string>();
  for (const path of paths) {
    // A broken pointer must not throw: it contributes no string.
    const text = await read(path).catch(() => "");
    files.set(path, text.replaceAll("\\n", "\n").replaceAll('\\"', '"'));
  }
  return files;
}

async function followAll(start: Files, read: FoldedContext["read"]): Promise<Files> {
  const seen = new Map(start);
  let edge = start;
  while (edge.size > 0) {
    const next = [...edge.values()].flatMap(pathsIn).filter((path) => !seen.has(path));
    edge = await readAll([...new Set(next)], read);
    for (const [path, text] of edge) seen.set(path, text);
  }
  return seen;
}

function has(files: Files, atom: string): boolean {
  return [...files.values()].some((text) => text.includes(atom));
}
