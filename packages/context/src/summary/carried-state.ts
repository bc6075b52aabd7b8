import type { BaseMessage } from "@langchain/core/messages";
import { messageLines } from "../messages/message-lines.js";
import { inlineText } from "../messages/text.js";
import { filePathOf, isFileRead, isFileWrite, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { uncertaintyPoints } from "../retention/epistemic-markers.js";
import { describeCall, isTask, unfinishedCalls } from "./open-calls.js";
import { planCharacters, planOf, planThatFits, readPlan, shownItems } from "../plans/plan-list.js";
import { isInstruction } from "./lines/instructions.js";
import { indexThatFits } from "./earlier-summary.js";
import { newestThatFit } from "./newest-that-fit.js";
import { planState } from "./plan-state.js";
import { isTaskStep } from "./task-steps.js";
import type { Summary } from "./summary.js";

export type CarriedState = Pick<
  Summary,
  "artifacts" | "uncertainties" | "done" | "inProgress" | "plan" | "nextSteps" | "sideEffects" | "index"
>;

/** Maximum characters of each section; the newest entries stay. */
const maxCharacters = {
  uncertainties: 1_200,
  done: 2_000,
  nextSteps: 4_000,
  sideEffects: 3_000,
};

/**
 * Returns the summary sections that need no model: files, uncertainties, tasks, open calls and side effects.
 *
 * Pure. Extracts them from the messages and tool calls, and continues the `earlier` summary.
 */
export function carriedState(messages: readonly BaseMessage[], earlier: Summary): CarriedState {
  const plan = planState(messages, earlier);
  const inProgress = [
    ...(plan?.inProgress ?? earlier.inProgress.filter(isTask)),
    ...unfinishedCalls(messages),
  ];
  const done = plan === undefined ? earlier.done : earlier.done.filter((one) => !isOpen(one, plan));
  return {
    artifacts: fileLedger(messages, earlier.artifacts),
    uncertainties: merged(earlier.uncertainties, uncertaintyPoints(messages), maxCharacters.uncertainties),
    done: merged(done, plan?.done ?? [], maxCharacters.done),
    inProgress: merged([], inProgress, maxCharacters.done),
    plan: newestPlan(messages, earlier.plan),
    nextSteps: plan === undefined ? earlier.nextSteps : merged([], plan.next, maxCharacters.nextSteps),
    sideEffects: merged(earlier.sideEffects, sideEffects(messages), maxCharacters.sideEffects),
    index: earlier.index,
  };
}

/** Returns the lines of the newest check-list that continues the earlier one; none that instructs the agent in a prompt's form. */
function newestPlan(messages: readonly BaseMessage[], earlier: readonly string[]): readonly string[] {
  const read = messages.filter((message) => !isToolResult(message)).map(messageLines);
  const list = read.reduce(readPlan, planOf(earlier));
  return shownItems(list, planCharacters).flatMap(({ line }) => (isInstruction(line) ? [] : lineText(line)));
}

/** A bullet is that of the summary's own list. */
function lineText(line: string): string {
  return inlineText(line.replace(/^[-*+•]\s+/, ""));
}

/** True when the current plan lists the task as open: a reopened task is no longer done. */
function isOpen(task: string, { inProgress, next }: NonNullable<ReturnType<typeof planState>>): boolean {
  return inProgress.includes(task) || next.includes(task);
}

function merged(earlier: readonly string[], fresh: readonly string[], characters: number): readonly string[] {
  const all = [...earlier, ...fresh].map((text) => text.replace(/\s+/g, " ").trim());
  return newestThatFit([...new Set(all)], characters);
}

/**
 * Returns what bounds a section: of a plan the open items stay, of the index the folder and the newest files, of any other section
 * the newest entries. Pure.
 */
export function fitting(section: string): typeof newestThatFit {
  if (section === "index") return indexThatFits;
  return section === "plan" ? planThatFits : newestThatFit;
}

/** Maximum characters of a path that the ledger records. */
const maxPathLength = 200;

interface FileUse {
  readonly read: boolean;
  /** Number of writes to the file in this thread. */
  readonly version: number;
}

/**
 * Returns the files that the calls read and wrote, last touched last: `src/a.ts (read; written, version 2)`.
 *
 * Pure. The version counts the thread's writes to the file and continues from the `earlier` list; failed calls do not
 * count. Keeps the latest `maxFiles` files.
 */
export function fileLedger(
  messages: readonly BaseMessage[],
  earlier: readonly string[] = [],
  maxFiles = 60,
): readonly string[] {
  const files = new Map<string, FileUse>(earlier.flatMap(parseEntry));
  const failed = new Set(
    messages.filter(isToolResult).flatMap((result) => (result.status === "error" ? result.tool_call_id : [])),
  );
  for (const call of messages.flatMap((message) => toolCalls(message))) {
    const path = filePathOf(call);
    const write = isFileWrite(call);
    if (path === undefined || path.length > maxPathLength || !(write || isFileRead(call))) continue;
    if (call.id !== undefined && failed.has(call.id)) continue;
    const { read, version } = files.get(path) ?? { read: false, version: 0 };
    files.delete(path);
    files.set(path, { read: read || !write, version: version + (write ? 1 : 0) });
  }
  return [...files].slice(-maxFiles).map(([path, use]) => `${path} (${describe(use)})`);
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

/** Words in a tool's name that mark it as changing something outside the conversation. */
const effects = new Set(
  "send post publish commit push merge deploy release delete remove cancel book buy pay order refund transfer update create submit approve reject assign invite upload".split(
    " ",
  ),
);

/**
 * Returns one line for each call that changed something outside the conversation, so that the agent does not repeat it.
 *
 * Pure. Decides by the words of the tool's name. Excludes file writes, which `fileLedger` lists, steps of the
 * task list, and failed calls.
 */
export function sideEffects(messages: readonly BaseMessage[]): readonly string[] {
  const succeeded = new Set(
    messages.filter(isToolResult).flatMap((result) => (result.status === "error" ? [] : result.tool_call_id)),
  );
  const calls = messages.flatMap((message) => toolCalls(message));
  return calls
    .filter((call) => call.id !== undefined && succeeded.has(call.id))
    .filter((call) => filePathOf(call) === undefined && isEffect(call.name) && !isTaskStep(call))
    .map((call) => describeCall(call));
}

function isEffect(name: string): boolean {
  const words = name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
  return words.some((word) => effects.has(word));
}
