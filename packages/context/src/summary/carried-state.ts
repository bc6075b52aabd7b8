import type { BaseMessage } from "@langchain/core/messages";
import { filePathOf, isFileRead, isFileWrite, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { uncertaintyPoints } from "../retention/epistemic-markers.js";
import { describeCall, isTask, unfinishedCalls } from "./open-calls.js";
import { planState } from "./plan-state.js";
import type { Summary } from "./summary.js";
import { userConstraints } from "./user-constraints.js";

export type CarriedState = Pick<
  Summary,
  | "constraints"
  | "artifacts"
  | "uncertainties"
  | "done"
  | "inProgress"
  | "nextSteps"
  | "sideEffects"
  | "index"
>;

/** Characters that each section may have; the newest entries stay. */
const most = { constraints: 12_000, uncertainties: 1_200, done: 2_000, nextSteps: 4_000, sideEffects: 3_000 };

/**
 * Returns what a summary says without asking a model: rules, files, doubts, tasks, calls under way and their effects.
 *
 * Pure. Taken from the words of user and agent and the tool calls themselves, and carried on from the `earlier` summary.
 */
export function carriedState(messages: readonly BaseMessage[], earlier: Summary): CarriedState {
  const plan = planState(messages);
  const under = [...(plan?.inProgress ?? earlier.inProgress.filter(isTask)), ...unfinishedCalls(messages)];
  const told = plan === undefined ? earlier.done : earlier.done.filter((one) => !isOpen(one, plan));
  return {
    constraints: merged(earlier.constraints, userConstraints(messages), most.constraints),
    artifacts: fileLedger(messages, earlier.artifacts),
    uncertainties: merged(earlier.uncertainties, uncertaintyPoints(messages), most.uncertainties),
    done: merged(told, plan?.done ?? [], most.done),
    inProgress: merged([], under, most.done),
    nextSteps: plan === undefined ? earlier.nextSteps : merged([], plan.next, most.nextSteps),
    sideEffects: merged(earlier.sideEffects, sideEffects(messages), most.sideEffects),
    index: earlier.index,
  };
}

/** A task that the agent has taken up again is not done any more. */
function isOpen(task: string, { inProgress, next }: NonNullable<ReturnType<typeof planState>>): boolean {
  return inProgress.includes(task) || next.includes(task);
}

function merged(earlier: readonly string[], fresh: readonly string[], characters: number): readonly string[] {
  const all = [...earlier, ...fresh].map((text) => text.replace(/\s+/g, " ").trim());
  return newestThatFit([...new Set(all)], characters);
}

/** Returns the newest entries of a list, oldest first, that have at most so many characters together. Pure. */
export function newestThatFit(entries: readonly string[], characters: number): readonly string[] {
  let left = characters;
  const start = entries.findLastIndex((entry) => (left -= entry.length) < 0);
  return entries.slice(start + 1);
}

/** Characters of a path over which it is no name to carry on. */
const longPath = 200;

interface FileUse {
  readonly read: boolean;
  /** How often the file was written in this thread. */
  readonly version: number;
}

/**
 * Returns the files that the calls read and wrote, the latest touched last: `src/a.ts (read; written, version 2)`.
 *
 * Pure. A version is how often the thread has written the file, counted on from the `earlier` list; a call that
 * failed changes nothing. Of more than `most` files the latest stay.
 */
export function fileLedger(
  messages: readonly BaseMessage[],
  earlier: readonly string[] = [],
  most = 60,
): readonly string[] {
  const files = new Map<string, FileUse>(earlier.flatMap(parseEntry));
  const failed = new Set(
    messages.filter(isToolResult).flatMap((result) => (result.status === "error" ? result.tool_call_id : [])),
  );
  for (const call of messages.flatMap((message) => toolCalls(message))) {
    const path = filePathOf(call);
    const write = isFileWrite(call);
    if (path === undefined || path.length > longPath || !(write || isFileRead(call))) continue;
    if (call.id !== undefined && failed.has(call.id)) continue;
    const { read, version } = files.get(path) ?? { read: false, version: 0 };
    files.delete(path);
    files.set(path, { read: read || !write, version: version + (write ? 1 : 0) });
  }
  return [...files].slice(-most).map(([path, use]) => `${path} (${describe(use)})`);
}

function describe({ read, version }: FileUse): string {
  const parts = [...(read ? ["read"] : []), ...(version > 0 ? [`written, version ${version}`] : [])];
  return parts.join("; ");
}

function parseEntry(entry: string): readonly [string, FileUse][] {
  const match = /^(.*) \((read)?(?:; )?(?:written, version (\d+))?\)$/.exec(entry);
  if (match?.[1] === undefined) return [];
  return [[match[1], { read: match[2] !== undefined, version: Number(match[3] ?? 0) }]];
}

/** Words of a tool's name by which it changes something outside the conversation. */
const effects = new Set(
  "send post publish commit push merge deploy release delete remove cancel book buy pay order refund transfer update create submit approve reject assign invite upload".split(
    " ",
  ),
);

/**
 * Returns the calls that changed something outside the conversation, a line each, so that nothing is done twice.
 *
 * Pure, by the words of the tool's name. Writes of files are told with the files; a call that failed changed nothing.
 */
export function sideEffects(messages: readonly BaseMessage[]): readonly string[] {
  const worked = new Set(
    messages.filter(isToolResult).flatMap((result) => (result.status === "error" ? [] : result.tool_call_id)),
  );
  const calls = messages.flatMap((message) => toolCalls(message));
  return calls
    .filter((call) => call.id !== undefined && worked.has(call.id))
    .filter((call) => filePathOf(call) === undefined && isEffect(call.name))
    .map((call) => describeCall(call));
}

function isEffect(name: string): boolean {
  const words = name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
  return words.some((word) => effects.has(word));
}
