import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { getConfig, type Command } from "@langchain/langgraph";
import { hasBoundReasoning, isAi, partsOfContext } from "@palimpsest/context/internal";
import type { ModelRequest } from "langchain";
import { AsyncLocalStorage } from "node:async_hooks";
import { hideStandIns } from "../hide-from-stream.js";
import { frameDigest, type PromptFrame } from "../epochs/prompt-frame.js";
import { isTracked, markedPrefix, rewrittenPrefix, type SentPrefix } from "../epochs/sent-prefix.js";
import type { CompactionState } from "./context-state.js";
import { noteNested } from "../nested-run.js";
import { compactionStateOf, contextIn, mayExceedReport, replaceMessages } from "./node-state.js";
import { answerWith, partsOf } from "./reply.js";
import { runStep, type Plan } from "./run-step.js";
import type { StepOptions } from "./step.js";
import { isSameList, viewOfCall } from "./view-of-call.js";

type Request = Pick<ModelRequest, "messages" | "state" | "runtime" | "systemMessage" | "tools">;

/** What our middlewares have made of the state in one model call. */
interface CallState {
  /** The context that the call began with: the messages of the state, or what is beside them. */
  readonly opened: readonly BaseMessage[];
  messages: readonly BaseMessage[];
  /** A middleware keeps the messages of the state whole. */
  keepsThread: boolean;
  known: CompactionState;
  update: CompactionState;
  /** An inner middleware has recorded the prefix that was sent. */
  isMarked: boolean;
  /** Digests of what the middlewares see before the messages, the outermost first. */
  readonly frames: string[];
  /** Middlewares of ours around the call. */
  depth: number;
}

/** Returns the state of the call of a task inside which this one is; undefined for the outermost. */
function callAround(key: object): CallState | undefined {
  const around = running.getStore();
  return around?.key === key ? around.call : undefined;
}

/** Share of a refused prompt that another call may have. */
const minProgress = 0.9;

/** The call that runs, and what LangGraph gives to its task for its writes: an agent that runs inside the call has another task. */
const running = new AsyncLocalStorage<{ readonly key: object; readonly call: CallState }>();

/**
 * The step of a model call in a middleware. It works on the messages of the state, shows the call what they have become, and
 * writes them with the reply, so that the graph takes no step for it.
 *
 * Several middlewares of ours around one call share its state: the inner ones go on with what the outer ones have made of it. Calls of
 * the same task beside each other, such as a second one where the first takes long, do not.
 */
export class ModelStep<Options extends StepOptions> {
  /** The messages to send. */
  messages: readonly BaseMessage[];
  /** What the call sends before them, if it is not what the request has. */
  frame: PromptFrame;
  readonly #request: Request;
  readonly #options: Options;
  readonly #isReframed: boolean;
  readonly #key: object;
  readonly #isOuter: boolean;
  readonly #call: CallState;
  /** The list of the newest call, and the messages that it was made of. */
  #listed: { readonly list: readonly BaseMessage[]; readonly given: readonly BaseMessage[] };
  /** A step has removed the reasoning that a change before the messages made stale. */
  #isOpened = false;
  /** The prefix that is valid for `messages`; undefined where it is not recorded. */
  #prefix: SentPrefix | "unrecorded" | undefined;

  constructor(request: Request, options: Options) {
    this.#request = request;
    this.#options = options;
    this.frame = request;
    const send: unknown = request.runtime.configurable?.["__pregel_send"];
    this.#key = typeof send === "function" ? send : request;
    const outer = callAround(this.#key);
    this.#isOuter = outer === undefined;
    const { state } = request;
    this.#call = outer ?? openCall(state);
    this.#call.keepsThread ||= options.keepThread;
    // An inner middleware gets what the outer ones have made of the context.
    this.messages = outer
      ? request.messages
      : viewOfCall(request.messages, { before: state.messages, after: this.#call.opened });
    this.#listed = { list: this.messages, given: this.messages };
    this.#prefix = this.known.prefix;
    const frame = frameDigest(request);
    const depth = this.#call.depth++;
    const before = this.known.prefix?.frames?.[depth];
    this.#isReframed = before !== undefined && before !== frame;
    this.#call.frames[depth] = frame;
  }

  /** What compaction remembers, with the updates of this call. */
  get known(): CompactionState {
    return this.#call.known;
  }

  /** Adds to what compaction remembers. */
  note(update: CompactionState): void {
    this.#call.update = { ...this.#call.update, ...update };
    this.#call.known = { ...this.#call.known, ...update };
  }

  /** Runs a plan; returns whether it has changed the messages. */
  async run(plan: Plan<Options>, { overflow = false } = {}): Promise<boolean> {
    const { messages: before, known } = this.#call;
    const sent = this.messages;
    const { runtime: config, state: host } = this.#request;
    const isFirst = !this.#isOpened;
    const isReframed = this.#isReframed && isFirst;
    this.#isOpened = true;
    const isKept = this.#call.keepsThread;
    const within = isKept ? { config } : {};
    const isDoubtful = isFirst && this.#isOuter && mayExceedReport(host, before, within);
    if (isFirst && this.#isOuter) noteNested(config);
    const thread = isKept ? { thread: host.messages } : {};
    const step = { ...thread, mayExceedReport: isDoubtful, state: known, config, overflow, isAtCall: true };
    const { systemMessage, tools } = this.frame;
    const beside = { systemPrompt: systemMessage.text, tools };
    const input = { ...step, messages: before, sent, isReframed, beside };
    const { messages, state = {}, prefix } = await runStep(input, this.#options, plan);
    this.#call.messages = messages;
    this.messages = viewOfCall(sent, { before, after: messages });
    if (overflow) await this.#shorten(plan, sent);
    this.#prefix = prefix === "unrecorded" ? prefix : rewrittenPrefix(prefix, sent, this.messages);
    const holding = this.#prefix === "unrecorded" ? known.prefix : this.#prefix;
    this.note({ ...state, ...(holding === known.prefix ? {} : { prefix: holding }) });
    return messages !== before;
  }

  /**
   * Compacts the view of other middleware for this call alone, where the compaction of the state has not made it shorter.
   */
  async #shorten(plan: Plan<Options>, refused: readonly BaseMessage[]): Promise<void> {
    const { tokenCounter } = this.#options;
    if (
      this.messages === this.#call.messages ||
      tokenCounter(this.messages) < minProgress * tokenCounter(refused)
    )
      return;
    const { runtime: config } = this.#request;
    const input = { messages: refused, state: this.known, config, overflow: true, isAtCall: true };
    this.messages = (await runStep(input, this.#options, plan)).messages;
  }

  /**
   * Returns a list of its own for the call. Middleware behind ours may shorten it in place, as `contextEditingMiddleware` does: what the
   * reply then reports is no wrong report of usage.
   */
  listed(messages: readonly BaseMessage[]): BaseMessage[] {
    const list = [...messages];
    this.#listed = { list, given: messages };
    return list;
  }

  /** Returns the reply with what has become of the state. */
  finish(reply: Parameters<typeof partsOf>[0]): AIMessage | Command {
    const { list, given } = this.#listed;
    if (!isSameList(list, given)) this.note({ disputedUsage: true });
    this.#mark(partsOf(reply).said.find(isAi));
    if (!this.#isOuter) return reply as AIMessage;
    const { state, runtime } = this.#request;
    const { messages, opened, keepsThread } = this.#call;
    if (messages !== opened) this.#noteContext(state.messages);
    const isReplaced = messages !== opened && !keepsThread;
    // What a middleware gets of the config lacks the callbacks.
    if (isReplaced) hideStandIns(messages, opened, getConfig());
    // Outside a graph nothing can be replaced: the next call starts from the messages as they are.
    if (isReplaced && !replaceMessages(messages, runtime)) return reply as AIMessage;
    const { update } = this.#call;
    const compaction = Object.keys(update).length === 0 ? undefined : update;
    return answerWith(reply, { messages: isReplaced ? [] : undefined, compaction }, runtime);
  }

  /** Notes what the context differs in from a thread that stays whole; nothing of it where the thread becomes the context. */
  #noteContext(thread: readonly BaseMessage[]): void {
    const { messages, known, keepsThread } = this.#call;
    if (keepsThread) this.note({ context: partsOfContext(messages, thread) });
    else if (known.context !== undefined) this.note({ context: undefined });
  }

  /** Does the work of the call, inside which other middlewares of ours go on with its state. */
  async around<Reply>(work: () => Promise<Reply>): Promise<Reply> {
    try {
      return await running.run({ key: this.#key, call: this.#call }, work);
    } finally {
      this.#call.depth--;
    }
  }

  /** Records the prefix that was sent: replies are bound to it, or report its size. What is sent before it counts only if they reason. */
  #mark(reply: BaseMessage | undefined): void {
    const known = this.#prefix;
    const isBound = reply !== undefined && hasBoundReasoning(reply);
    if (this.#call.isMarked || known === "unrecorded") return;
    if (!isBound && !isTracked(this.messages, known)) return;
    this.#call.isMarked = true;
    const prefix = markedPrefix(this.messages, known);
    const framed = isBound || prefix.reasons === true ? withFrames(prefix, this.#call.frames) : prefix;
    if (framed !== known) this.note({ prefix: framed });
  }
}

/** Returns the prefix with the digests of what is sent before the messages; the same object if it has them. */
function withFrames(prefix: SentPrefix, frames: readonly string[]): SentPrefix {
  const isFramed = frames.every((frame, at) => frame === prefix.frames?.[at]);
  return isFramed ? prefix : { ...prefix, frames: [...frames] };
}

function openCall(state: Request["state"]): CallState {
  const known = compactionStateOf(state) ?? {};
  const opened = known.context === undefined ? state.messages : contextIn(state);
  const nothing = { update: {}, keepsThread: false, isMarked: false, frames: [], depth: 0 };
  return { opened, messages: opened, known, ...nothing };
}

/** Runs `work` in the step of a model call. */
export async function withModelStep<Options extends StepOptions>(
  request: Request,
  options: Options,
  work: (step: ModelStep<Options>) => Promise<Parameters<typeof partsOf>[0]>,
): Promise<AIMessage | Command> {
  const step = new ModelStep(request, options);
  return step.around(async () => step.finish(await work(step)));
}
