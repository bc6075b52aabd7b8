import { laneFolder, laneOfPath } from "@palimpsest/context/internal";
import type { ThreadFiles } from "@palimpsest/vfs";
import { runInFile } from "./stand-in-files.js";

/** Files of other agents whose run a result names. */
const mostFiles = 3;
/** Files of stand-ins, the newest ones, that are searched for the run of a file. */
const mostRuns = 100;

const lanePath = /\/context\/lanes\/[\w-]+\/[\w./-]*\w/g;

/**
 * Returns lines that say of whom the files of other lanes are that a result names: agent, thread, run and time. Of files that the
 * agent may not read nothing is said.
 */
export async function laneProvenance(
  said: string,
  own: string | undefined,
  files: Pick<ThreadFiles, "threadId" | "readable">,
): Promise<readonly string[]> {
  const named = [...new Set(said.match(lanePath))].filter((path) => laneOfPath(path) !== own);
  const lines: string[] = [];
  for (const path of named.slice(0, 4 * mostFiles)) {
    if (lines.length === mostFiles) break;
    const line = await provenanceOf(path, files);
    if (line !== undefined) lines.push(line);
  }
  return lines;
}

async function provenanceOf(
  path: string,
  { threadId, readable }: Pick<ThreadFiles, "threadId" | "readable">,
): Promise<string | undefined> {
  const name = laneOfPath(path);
  if (name === undefined || !(await readable.has(path))) return undefined;
  const folder = laneFolder({ name, share: "none" });
  const entries: { readonly path: string; readonly modifiedAt: string }[] = [];
  for await (const entry of readable.list(`${folder}stand-ins/`)) entries.push(entry);
  const newest = entries.toSorted((a, b) => (a.modifiedAt < b.modifiedAt ? 1 : -1)).slice(0, mostRuns);
  for (const entry of newest) {
    const text = await readable.readText(entry.path);
    const run = entry.path === path ? runInFile(text, "") : runInFile(text, path);
    if (run !== undefined)
      return line(name, run.thread, `run ${run.namespace || "of the thread"}, ${entry.modifiedAt}`);
  }
  return line(name, threadId, `since ${newest.at(-1)?.modifiedAt ?? "an unknown time"}`);

  function line(agent: string, thread: string, when: string): string {
    return `[${path}: of the agent ${agent}, thread ${thread}, ${when}]`;
  }
}
