import type { BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../../messages/copy-message.js";
import { withoutReasoning } from "../../messages/provider/reasoning.js";
import { isAi, isToolResult, toolCalls } from "../../messages/tool-calls.js";
import { foldOf } from "../fold.js";

type Step = readonly BaseMessage[];

/**
 * Returns the messages in groups: a message with calls and the results behind it, any other message alone. `isClose` asks for results
 * right behind it, as a provider does.
 */
export function stepsOf(messages: readonly BaseMessage[], { isClose = false } = {}): readonly Step[] {
  const steps: BaseMessage[][] = [];
  let open: { readonly step: BaseMessage[]; readonly calls: ReadonlySet<string | undefined> } | undefined;
  for (const message of messages) {
    if (open !== undefined && isToolResult(message) && open.calls.has(message.tool_call_id)) {
      open.step.push(message);
      continue;
    }
    const step = [message];
    const calls = toolCalls(message);
    if (calls.length > 0) open = { step, calls: new Set(calls.map(({ id }) => id)) };
    else if (isClose) open = undefined;
    steps.push(step);
  }
  return steps;
}

/** Returns the first message of each step that has a result without its call, or a call without its result. Pure. */
export function openSteps(messages: readonly BaseMessage[]): ReadonlySet<BaseMessage> {
  return new Set(stepsOf(messages).flatMap((step) => (isOpen(step, messages) ? step.slice(0, 1) : [])));
}

/** A step of the archive, and what the host has changed of it: its calls, its results, or both. */
interface EditedStep {
  readonly caller: BaseMessage;
  readonly changed: BaseMessage[];
}

/**
 * Returns the messages with the rest of its step around each edited message of a folded step: a host that corrects one result, or the
 * words beside a call, writes that message alone, and a reducer that finds no such id appends it. No provider takes a result without its
 * call, or a call without its result, and Gemini takes no call right behind another message of the model. Returns the same list when it
 * has no such message. Pure.
 *
 * @param originals the messages of the archive, each step in its order
 */
export function wholeSteps(
  messages: readonly BaseMessage[],
  originals: readonly BaseMessage[],
): readonly BaseMessage[] {
  const own = new Set(originals);
  const edited = new Map<BaseMessage, EditedStep>();
  const steps = stepsOf(messages, { isClose: true }).map((step): Step | EditedStep => {
    const caller = isOpen(step, messages) && !step.some((one) => own.has(one)) && callerOf(step, originals);
    if (!caller) return step;
    const known = edited.get(caller);
    known?.changed.push(...step);
    if (known !== undefined) return [];
    const begun = { caller, changed: [...step] };
    edited.set(caller, begun);
    return begun;
  });
  return edited.size === 0 ? messages : inPlace(steps, originals);
}

/** Returns whether a step has a result without its call, or a call without its result that the host does not run next. */
function isOpen(step: Step, messages: readonly BaseMessage[]): boolean {
  const [first] = step;
  if (first === undefined || isToolResult(first)) return first !== undefined;
  return toolCalls(first).length > step.length - 1 && step.at(-1) !== messages.at(-1);
}

/** Returns the message with the calls of a step in the archive; undefined for a step that is not of the archive. */
function callerOf([first]: Step, originals: readonly BaseMessage[]): BaseMessage | undefined {
  if (first === undefined) return undefined;
  const at = originals.findIndex((one) => one.id === first.id && one.getType() === first.getType());
  if (!isToolResult(first)) return originals[at];
  const { tool_call_id: call } = first;
  return originals.slice(0, Math.max(0, at)).findLast((one) => toolCalls(one).some(({ id }) => id === call));
}

/** Puts each edited step where it stands, or behind the next message that is not the model's. */
function inPlace(
  steps: readonly (Step | EditedStep)[],
  originals: readonly BaseMessage[],
): readonly BaseMessage[] {
  const list: BaseMessage[] = [];
  const waiting: BaseMessage[] = [];
  for (const step of steps) {
    if ("caller" in step) waiting.push(...completed(step, originals));
    else list.push(...step);
    const before = list.at(-1);
    if (before === undefined || !isAi(before)) list.push(...waiting.splice(0));
  }
  return [...list, ...waiting];
}

/** Returns a step with what the host has changed, and with the rest as it is in the archive. */
function completed({ caller, changed }: EditedStep, originals: readonly BaseMessage[]): Step {
  const calls = changed.find(isAi) ?? withoutReport(caller);
  const known = [...changed, ...originals.slice(originals.indexOf(caller))];
  const results = toolCalls(calls).flatMap(
    ({ id }) => known.find((one) => isToolResult(one) && one.tool_call_id === id) ?? [],
  );
  const step = new Set([calls, ...results]);
  return [...step, ...changed.filter((one) => !step.has(one))];
}

/** Returns a message without what holds only where it was: its reasoning, and the size of its prompt. A stand-in is signed with both. */
function withoutReport(message: BaseMessage): BaseMessage {
  if (foldOf(message) !== undefined) return message;
  return copyMessage(withoutReasoning(message), { usage_metadata: undefined });
}
