import { basename } from "node:path";
import { callsOf, ownLines, tokensOf, withWholePaths, type AgentCall } from "./agent-calls.js";
import type { PlayedCompaction } from "./played-compaction.js";

/** A file that the agent had read or edited before a compaction, and what of it is missing from the context after it. */
export interface MissingFile {
  readonly path: string;
  /** Tokens of its lines that calls had shown and that are not in the context, of four characters. */
  readonly tokens: number;
  /** Times that the context names it, although its lines are not there. */
  readonly names: number;
  /** Calls since the last that read or edited it. */
  readonly age: number;
}

/** Returns the files of the thread before a compaction with what a context lacks of each. Looks at nothing that came later. Pure. */
export function missingFiles(
  { past }: Pick<PlayedCompaction, "past">,
  context: string,
): readonly MissingFile[] {
  const calls = withWholePaths(callsOf(past));
  const touched = new Map<string, AgentCall[]>();
  const ages = new Map<string, number>();
  for (const [index, call] of calls.entries()) {
    const { kind, path } = call;
    if (path === undefined || (kind !== "read" && kind !== "edit")) continue;
    touched.set(path, [...(touched.get(path) ?? []), call]);
    ages.set(path, calls.length - 1 - index);
  }
  const there = ownLines(context);
  return [...touched].map(([path, own]) => {
    const lines = ownLines(own.map(shownBy).join("\n"));
    const missing = [...lines].filter((line) => !there.has(line) && !context.includes(line));
    return {
      path,
      tokens: tokensOf(missing),
      names: [...context.matchAll(nameOf(path))].length,
      age: ages.get(path) ?? 0,
    };
  });
}

/** The last part of a path, as a word of its own. */
function nameOf(path: string): RegExp {
  const name = basename(path).replaceAll(/[.*+?^${}()|[\]\\]/g, (one) => `\\${one}`);
  return new RegExp(`(?<![\\w.-])${name}(?![\\w-])`, "g");
}

function shownBy({ kind, args, result }: AgentCall): string {
  if (kind === "read") return result;
  return Object.values(args)
    .filter((value) => typeof value === "string")
    .join("\n");
}
