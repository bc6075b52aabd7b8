import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import type { Command } from "@langchain/langgraph";
import { earlyEnd, isAi, type EarlyEnd } from "@palimpsest/context/internal";
import { compact } from "../compaction/compact.js";
import { runContext, type CompactInput, type CompactOutcome } from "../compaction/compaction-step.js";
import { answerWith, partsOf } from "../run/reply.js";
import type { CompactionState } from "../run/context-state.js";
import { compactionStateOf, replaceMessages } from "../run/node-state.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { NodeConfig } from "../run-config.js";
import type { ModelCall } from "../epochs/model-call.js";
import { contextAfterError, refusalCause, type RefusalCause } from "./context-after-error.js";
import { archiveAnswers, reportRetry } from "./early-answers.js";

export interface FittedCall {
  readonly request: {
    readonly messages: readonly BaseMessage[];
    readonly state: { readonly messages: readonly BaseMessage[] };
    readonly runtime: NodeConfig;
  };
  /** The call to make, whose reasoning is valid. */
  readonly epoch: ModelCall;
  readonly call: (messages: BaseMessage[], compaction: CompactionState | undefined) => Promise<AIMessage>;
  readonly options: ResolvedOptions;
  /** The options of the hook before the model. Without any, or with another window, nothing was compacted for this call. */
  readonly known: Pick<ResolvedOptions, "contextWindow"> | undefined;
}

function isNewWindow({ options, known }: FittedCall): boolean {
  return options.contextWindow !== known?.contextWindow;
}

/**
 * Calls the model with a context that fits its window. Calls it once more with a changed context if the provider refuses the
 * context, or ends the answer at the window. A second refusal for the same cause is rethrown; a second answer of that kind
 * stays.
 *
 * The changed context is written to the state, before what the host and other middleware make of the reply. If other middleware
 * sends another list than the state's, shortened or with reminders, the same changes are made to the state's own list, so that
 * messages that were not sent are not lost.
 */
export async function callFitted(fitted: FittedCall): Promise<AIMessage | Command> {
  const { request, epoch, options } = fitted;
  const calls = new FittedCalls(fitted);
  if (isNewWindow(fitted)) await calls.change((input) => compact(input, options));
  const reply = await calls.answer();
  const prefix = epoch.prefix(calls.context, partsOf(reply).said.find(isAi));
  const stored = await calls.stored();
  const isStored = stored !== undefined && replaceMessages(stored, request.runtime);
  const isKnown = prefix === compactionStateOf(request.state)?.prefix;
  const compaction = isKnown ? calls.update : { ...calls.update, prefix };
  const messages = isStored ? [] : epoch.update.messages;
  return answerWith(reply, { messages, compaction }, request.runtime);
}

/** Returns a changed context, or undefined if it could not be changed. */
type Change = (input: CompactInput) => Promise<CompactOutcome | undefined>;

/** The calls of the model for one step. */
class FittedCalls {
  context: readonly BaseMessage[];
  update: CompactionState | undefined;
  readonly #fitted: FittedCall;
  readonly #state: CompactionState | undefined;
  readonly #tried = new Set<RefusalCause | EarlyEnd>();
  /** The changes that were made to the context so far. */
  readonly #changes: Change[] = [];

  constructor(fitted: FittedCall) {
    const { request, epoch, options } = fitted;
    this.#fitted = fitted;
    this.#state = compactionStateOf(request.state);
    this.context = epoch.messages;
    this.update = isNewWindow(fitted) ? { contextWindow: options.contextWindow } : undefined;
  }

  input(): CompactInput {
    const { runtime: config } = this.#fitted.request;
    return { messages: this.context, state: { ...this.#state, ...this.update }, config };
  }

  /** Changes the context; returns false if it stays the same. */
  async change(change: Change): Promise<boolean> {
    const isChanged = await this.#apply(change);
    if (isChanged) this.#changes.push(change);
    return isChanged;
  }

  async #apply(change: Change): Promise<boolean> {
    const before = this.context;
    const outcome = await change(this.input());
    if (outcome === undefined) return false;
    this.context = outcome.messages;
    if (outcome.state !== undefined) this.update = { ...this.update, ...outcome.state };
    return this.context !== before;
  }

  /** Returns the messages that replace those of the state, or undefined if nothing was changed. */
  async stored(): Promise<readonly BaseMessage[] | undefined> {
    const { request, epoch } = this.#fitted;
    if (this.#changes.length === 0) return undefined;
    const { messages } = request.state;
    const isView =
      messages.length !== request.messages.length ||
      messages.some((message, index) => message !== request.messages[index]);
    if (!isView) return this.context;
    const replaced = new Map(epoch.update.messages?.map((message) => [message.id, message]));
    this.context = messages.map((message) => replaced.get(message.id) ?? message);
    let isChanged = false;
    for (const change of this.#changes) isChanged = (await this.#apply(change)) || isChanged;
    return isChanged ? this.context : undefined;
  }

  /** @throws the provider's error if no changed context helps. */
  async answer(): Promise<AIMessage> {
    let reply: AIMessage;
    try {
      const { update } = this;
      const known = update === undefined ? this.#state : { ...this.#state, ...update };
      reply = await this.#fitted.call([...this.context], known);
    } catch (error) {
      const cause = refusalCause(error);
      if (cause === undefined || !this.#isFirst(cause)) throw error;
      const isChanged = await this.change((input) => contextAfterError(error, input, this.#fitted.options));
      if (!isChanged) throw error;
      return this.answer();
    }
    return (await this.#isCallDue(reply)) ? this.answer() : reply;
  }

  /** Prepares another call after an answer that ended early; returns false if the answer stays. */
  async #isCallDue(reply: AIMessage): Promise<boolean> {
    const { options } = this.#fitted;
    const answer = partsOf(reply).said.at(-1);
    const end = answer === undefined ? undefined : earlyEnd(answer, options.maxPromptTokens);
    const run = runContext(this.input(), options);
    if (answer === undefined || end === undefined || run === undefined) return false;
    if (!this.#isFirst(end === "window-exceeded" ? "overflow" : end)) return false;
    if (end === "provider-compacted") {
      reportRetry(end, [answer], run);
      return this.change(async ({ messages }) => ({ messages: [...messages, answer] }));
    }
    const isShorter = await this.change((input) => compact({ ...input, overflow: true }, options));
    return isShorter && (await archiveAnswers([answer], run));
  }

  #isFirst(cause: RefusalCause | EarlyEnd): boolean {
    if (this.#tried.has(cause)) return false;
    this.#tried.add(cause);
    return true;
  }
}
