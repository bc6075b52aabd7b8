import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Trajectory } from "./trajectory.js";

/** Sets of tool-using agents, in the JSON-lines form that `evals/README.md` describes. */
const sets = ["claude-code-sessions", "pi-sessions", "tau-bench-airline", "who-and-when"];

interface Line {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly tool_calls?: readonly { id: string; name: string; args: Record<string, unknown> }[];
  readonly tool_call_id?: string;
  readonly name?: string;
  readonly is_error?: boolean;
  readonly compaction?: boolean;
}

/**
 * Returns the recorded trajectories below a folder, at most `limit` of each set.
 *
 * @throws Error when the folder holds none: an eval without cases must not pass.
 */
export function readTrajectories(folder: string, limit = Infinity): readonly Trajectory[] {
  const found = sets.flatMap((set) => {
    const path = join(folder, set);
    if (!existsSync(path)) return [];
    const files = readdirSync(path).filter((name) => name.endsWith(".jsonl"));
    return files
      .toSorted()
      .slice(0, limit)
      .map((name) => readTrajectory(set, join(path, name)));
  });
  if (found.length > 0) return found;
  throw new Error(`${folder} holds no trajectory: it needs ${sets.join(", ")} (see evals/README.md)`);
}

function readTrajectory(set: string, path: string): Trajectory {
  const lines = readFileSync(path, "utf8").trim().split("\n").slice(1);
  const messages = lines
    .map((line) => JSON.parse(line) as Line)
    // A summary that the recording harness put in is not part of the thread.
    .filter((line) => line.compaction !== true)
    .map((line, index) => toMessage(line, `m${index}`));
  return { set, id: path, messages };
}

function toMessage(line: Line, id: string): BaseMessage {
  const { content } = line;
  if (line.role === "system") return new SystemMessage({ id, content });
  if (line.role === "tool" && line.tool_call_id !== undefined) return toolResult(line, id);
  // What other agents and terminals say in logs without tool calls reaches the model as a user's message.
  if (line.role !== "assistant") return new HumanMessage({ id, content });
  const calls = (line.tool_calls ?? []).map((call) => ({ ...call, type: "tool_call" as const }));
  return new AIMessage({ id, content, tool_calls: calls });
}

function toolResult({ content, tool_call_id = "", name, is_error }: Line, id: string): ToolMessage {
  const status = is_error === true ? "error" : "success";
  return new ToolMessage({ id, content, tool_call_id, status, ...(name === undefined ? {} : { name }) });
}
