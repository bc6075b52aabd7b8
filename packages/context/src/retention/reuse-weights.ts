import type { BaseMessage } from "@langchain/core/messages";
import { filePathOf } from "../file-calls.js";
import { isLineAtom, lineAtoms, wholeLineAtom } from "../selection/line-atoms.js";
import { messageLines, type MessageLine } from "../selection/message-lines.js";
import { isAi, isToolResult, toolCalls } from "../tool-calls.js";

interface Seen {
  last: number;
  count: number;
  uses: number;
  dead: boolean;
  file: string | undefined;
}

/**
 * Returns how likely each string of the messages is to be used by a later call, between 0 and 1.5.
 *
 * Pure. A logistic weight of how long ago a string was seen, in how many steps, how often a call used it, whether an
 * edit has replaced it, and when its file was last touched. Whole lines of files count as strings of their own.
 */
export function reuseWeights(messages: readonly BaseMessage[]): ReadonlyMap<string, number> {
  const seen = new Map<string, Seen>();
  const touched = new Map<string, number>();
  const files = new Map<string, string>();
  let step = 0;
  for (const message of messages) {
    if (!isToolResult(message)) step++;
    for (const call of toolCalls(message)) {
      const path = filePathOf(call);
      if (path === undefined) continue;
      touched.set(path, step);
      if (call.id !== undefined) files.set(call.id, path);
    }
    const own = toolCalls(message).map(filePathOf).at(-1);
    note(message, { seen, step, file: isToolResult(message) ? files.get(message.tool_call_id) : own });
  }
  const weight = ([atom, facts]: [string, Seen]): [string, number] => {
    const age = facts.file === undefined ? step + 2 : step + 1 - (touched.get(facts.file) ?? 0);
    return [atom, likelihood(facts, isLineAtom(atom), { now: step + 1, fileAge: Math.max(1, age) })];
  };
  return new Map([...seen].map(weight));
}

interface Noting {
  readonly seen: Map<string, Seen>;
  readonly step: number;
  readonly file: string | undefined;
}

function note(message: BaseMessage, { seen, step, file }: Noting): void {
  const used = new Set<string>();
  const replaced = new Set<string>();
  const standing = new Set<string>();
  for (const line of messageLines(message)) {
    for (const atom of atomsOf(line)) {
      (line.role === "old" ? replaced : standing).add(atom);
      const isUse = line.role === "argument" || (line.role === "old" && isLineAtom(atom));
      if (isAi(message) && isUse) used.add(atom);
    }
  }
  for (const atom of new Set([...replaced, ...standing])) {
    const before = seen.get(atom) ?? { last: 0, count: 0, uses: 0, dead: false, file: undefined };
    seen.set(atom, {
      last: step,
      count: before.count + (before.last === step ? 0 : 1),
      uses: before.uses + (used.has(atom) ? 1 : 0),
      dead: replaced.has(atom) && !standing.has(atom),
      file: file ?? before.file,
    });
  }
}

/** Returns the strings of a line that a later call may use. Pure. */
export function atomsOf({ text, role }: MessageLine): readonly string[] {
  const atoms = lineAtoms(text);
  if (role !== "result" && role !== "old" && role !== "new") return atoms;
  const whole = wholeLineAtom(text);
  return whole === undefined ? atoms : [...atoms, whole];
}

/** Constants: rounded weights of a logistic model over recorded runs of coding agents. */
function likelihood(
  { last, count, uses, dead }: Seen,
  isLine: boolean,
  { now, fileAge }: { readonly now: number; readonly fileAge: number },
): number {
  const line = isLine ? 1 : 0;
  const z =
    -6.5 +
    0.4 * line -
    0.7 * Math.log(Math.max(1, now - last)) -
    0.5 * Math.log(Math.max(1, count)) +
    1.4 * Math.log(1 + uses) +
    (uses > 0 ? 1.9 - 1.5 * line : 0) -
    (dead ? 1.3 : 0) -
    0.6 * line * Math.log(fileAge);
  return (isLine ? 1.5 : 1) / (1 + Math.exp(-z));
}
