import { coerceMessageLikeToMessage, type BaseMessage, type BaseMessageLike } from "@langchain/core/messages";
import { getConfig, isCommand } from "@langchain/langgraph";
import { ContextError } from "@palimpsest/context";
import type { ContextOptions } from "../options/context-options.js";
import { noteNested } from "../nested-run.js";
import { shownValue } from "../options/fields.js";
import { requireOptions } from "../options/require-options.js";
import { lacksChannel, requireChannels } from "../options/require-channels.js";
import { resolveOptions, type ResolvedOptions } from "../options/resolve-options.js";
import { callFitted } from "../retry/call-fitted.js";
import type { NodeConfig } from "../run-config.js";
import { mergeCompaction, updateOf, type CompactionState } from "../run/context-state.js";
import { compactionStateOf, mayExceedReport, listsOf, type NodeState } from "../run/node-state.js";
import { sizedForRun } from "../run/run-options.js";
import { runStep, type Plan } from "../run/run-step.js";
import { givenTo } from "./given-list.js";
import { joinStep } from "./shared-steps.js";
import { stateOfCall, taskUpdate } from "./task-update.js";
import { replacing, writeBeside } from "./write-beside.js";
import { withUpdate } from "../with-update.js";

/** A model node: takes the state and what LangGraph passes beside it, and returns an update or a `Command`. */
type ModelNode<State, Rest extends readonly unknown[], Result> = (
  state: State,
  ...rest: Rest
) => Promise<Result> | Result;

/**
 * Returns the model node of a graph with compaction inside: `addNode("model", withCompaction(callModel, options))`.
 *
 * It does what `compactionNode` does before the call, and what `overflowErrorHandler` and `overflowCondition` do after it, and
 * uses no step of the graph. The node is called with the compacted context in place of the messages; what it returns stays as it
 * is, and is what the node returns. What a host adds to the list for this call, such as a system message, is no part of the thread
 * unless the node returns it. With `keepThread` the messages of the state stay whole. With an `outputKey` the context is under that
 * key, as with `compactionNode`.
 * @throws ContextError when an option cannot work.
 */
export function withCompaction<State extends object, Rest extends readonly unknown[], Result>(
  callModel: ModelNode<State, Rest, Result>,
  options: ContextOptions,
): (state: State, ...rest: Rest) => Promise<Result> {
  if (typeof callModel !== "function")
    throw new ContextError(
      "bad-option",
      `callModel is ${shownValue(callModel)}: pass the function of the model node, such as (state) => ({ messages: [reply] })`,
    );
  requireOptions(options, "withCompaction");
  const resolved = resolveOptions(options);
  const { inputKey, outputKey, keepThread, files } = resolved;
  const keys = { inputKey, outputKey, keepThread, files };
  return async function callWithCompaction(state, ...rest) {
    const config = (rest[0] ?? getConfig()) as NodeConfig | undefined;
    joinStep(config);
    const passed = givenTo(state, resolved, config);
    requireChannels(state, rest[0] as NodeConfig | undefined, {
      ...keys,
      keepThread: keepThread && !passed.isOwn,
    });
    // In the functional API, nothing that is written reaches the list.
    const given = { ...passed, isOwn: passed.isOwn || lacksChannel(config, inputKey) };
    const known = stateOfCall(given, { options: resolved, config });
    const step = new NodeCall({ state: known, config, options: resolved });
    const saidIn = (result: Result) => messagesIn(result, inputKey);
    const result = await callFitted({
      step,
      options: sizedForRun(resolved, config),
      said: saidIn,
      call: async (messages, compaction) =>
        callModel({ ...state, [outputKey]: messages, ...step.channelWith(compaction) }, ...rest),
    });
    const outcome = { messages: step.messages, ...(step.update && { state: step.update }) };
    const update = await taskUpdate(given, outcome, { options: keys, config, isCall: true });
    if (Object.keys(update).length === 0) return result;
    const written = { update, given, messages: step.messages, said: saidIn(result), inputKey };
    // Before what the node returns, so that its own write still reaches the stream of messages.
    if (config !== undefined && writeBeside(written, config)) return result;
    return withAdded(result, replacing(written)) as Result;
  };
}

interface NodeCallOptions {
  readonly state: NodeState;
  readonly config: NodeConfig | undefined;
  readonly options: ResolvedOptions;
}

/** The steps around the model call of a node. */
class NodeCall {
  messages: readonly BaseMessage[];
  known: CompactionState;
  update: CompactionState | undefined;
  /** The graph has the channel `compaction`. */
  readonly #hasChannel: boolean;
  readonly #given: NodeCallOptions;
  #lists: ReturnType<typeof listsOf>;

  constructor(given: NodeCallOptions) {
    const { state, config, options } = given;
    const known = compactionStateOf(state, options);
    this.#given = given;
    const lists = listsOf(state, { ...options, config });
    // Beside another call in the same step, also a context that is the thread itself may have more than the newest call was sent.
    this.#lists = {
      ...lists,
      mayExceedReport: lists.mayExceedReport || mayExceedReport(state, lists.messages, options),
    };
    noteNested(config, options.inputKey);
    this.messages = lists.messages;
    this.known = known ?? {};
    this.#hasChannel = known !== undefined;
  }

  /** Returns the channel `compaction` with what compaction remembers now; nothing in a graph without it. */
  channelWith(compaction: CompactionState) {
    const { state, options } = this.#given;
    if (!this.#hasChannel) return {};
    const { compaction: before } = state as { readonly compaction?: CompactionState };
    return { compaction: mergeCompaction(before, updateOf(compaction, options.inputKey)) };
  }

  async run(plan: Plan<ResolvedOptions>, { overflow = false } = {}): Promise<boolean> {
    const { config, options } = this.#given;
    const before = this.messages;
    const channel = this.#hasChannel ? { state: this.known } : {};
    const asked = { messages: before, ...channel, config, overflow, isAtCall: true };
    const outcome = await runStep({ ...this.#lists, ...asked }, options, plan);
    this.#lists = { ...this.#lists, mayExceedReport: false };
    this.messages = outcome.messages;
    if (outcome.state !== undefined) this.update = { ...this.update, ...outcome.state };
    this.known = { ...this.known, ...outcome.state };
    return outcome.messages !== before;
  }
}

/** Returns the messages that a node returns under a key, in any of the forms that a reducer of messages takes. */
function messagesIn(result: unknown, key: string): readonly BaseMessage[] {
  const update: unknown = isCommand(result) ? result.update : result;
  if (typeof update !== "object" || update === null) return [];
  const channels = Array.isArray(update) ? Object.fromEntries(update as [string, unknown][]) : update;
  const value: unknown = (channels as Readonly<Record<string, unknown>>)[key];
  const list = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return (list as BaseMessageLike[]).map((message) => coerceMessageLikeToMessage(message));
}

/** Returns what a node called outside a graph returns: its result with the update of compaction. */
function withAdded(result: unknown, added: Readonly<Record<string, unknown>>): unknown {
  if (!isCommand(result)) return { ...(result as object), ...added };
  const { update } = result;
  const own = Array.isArray(update) ? Object.fromEntries(update) : update;
  return withUpdate(result, { ...own, ...added });
}
