import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toolCalls } from "@palimpsest/context";
import { generateTrajectory } from "../data/made/generate-trajectory.js";
import { rawFolders, sessionFolders } from "../data/read-trajectories.js";
import { textOf } from "../data/text-of.js";

/** Files of sessions that are measured together. */
export interface SessionSet {
  readonly name: string;
  readonly files: readonly string[];
}

/** Returns the sets below a folder of recorded runs: one for each folder whose name ends in -raw or -sessions. */
export function recordedSets(data: string): readonly SessionSet[] {
  const folders = [...rawFolders(data), ...sessionFolders(data)].toSorted();
  return folders.flatMap((name) => sessionsIn(join(data, name), name));
}

/** Returns all sessions below a folder as one set; none for a folder without any. */
export function sessionsIn(folder: string, name = folder): readonly SessionSet[] {
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}`);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name));
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return paths.length === 0 ? [] : [{ name, files: paths }];
}

/** Writes generated sessions into a folder, each with a compaction in the middle. */
export function generatedSet(folder: string, count: number): SessionSet {
  mkdirSync(folder, { recursive: true });
  const files = Array.from({ length: count }, (_, at) => {
    const path = join(folder, `generated-${at + 1}.jsonl`);
    writeFileSync(path, linesOf(at + 1).join(""));
    return path;
  });
  return { name: "generated", files };
}

function linesOf(seed: number): readonly string[] {
  const { messages } = generateTrajectory({ seed, steps: 80 });
  const lines = messages.map((message): object => {
    const content = textOf(message);
    if (message.getType() === "human") return { role: "user", content };
    if (message.getType() === "ai") return { role: "assistant", content, tool_calls: toolCalls(message) };
    const { tool_call_id: call, name } = message as { tool_call_id?: string; name?: string };
    return { role: "tool", content, tool_call_id: call, name };
  });
  const half = Math.floor(lines.length / 2);
  const answer = lines.findIndex((line, at) => at >= half && (line as { role: string }).role === "assistant");
  const summary = { role: "user", content: "The agent ports the project, part by part.", compaction: true };
  return [...lines.slice(0, answer), summary, ...lines.slice(answer)].map(
    (line) => `${JSON.stringify(line)}\n`,
  );
}
