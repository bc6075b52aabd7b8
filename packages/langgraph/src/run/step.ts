import type { BaseMessage } from "@langchain/core/messages";
import { dropStaleReasoning, withIds, type ArchiveWrite, type Rewrite } from "@palimpsest/context";
import {
  dropReasoning,
  foldsIn,
  goalDrift,
  joinRewrites,
  laneOfPath,
  unchanged,
  type DropReasoningOptions,
} from "@palimpsest/context/internal";
import type { Archive } from "@palimpsest/vfs";
import type { ThreadSeal } from "@palimpsest/vfs/internal";
import type { CompactionReason } from "../context-event.js";
import { promptFile } from "../epochs/prompt-frame.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { NodeConfig } from "../run-config.js";
import {
  commit,
  commitRewrite,
  laneRunOf,
  writeArchive,
  type CommitOptions,
  type CommitRun,
} from "./commit.js";
import { mustThrow } from "./error-policy.js";
import type { CompactionState, StepFailure } from "./context-state.js";
import type { MeasuredBy } from "./measure.js";
import { knownState } from "./node-state.js";
import { reporter, type Reporter } from "./reporter.js";
import { admitFolds } from "./sealed-folds.js";
import { isVaried, optionsOfRun, type OptionsOfRun } from "./run-options.js";

/** The options that the shell itself reads; a strategy adds its own. */
export type StepOptions = Pick<
  ResolvedOptions,
  "files" | "keepThread" | "maxPromptTokens" | "onError" | "onEvent" | "driftCalls" | "lane"
> &
  MeasuredBy &
  OptionsOfRun;

/** What a step starts from. */
export interface StepInput {
  readonly messages: readonly BaseMessage[];
  /** The channel `compaction`; undefined in a graph without it. */
  readonly state?: CompactionState | undefined;
  readonly config?: NodeConfig | undefined;
  /** Names the files of a run without a `thread_id`. @default the scope in `state` */
  readonly scope?: string | undefined;
  /** The provider has refused the prompt as too long. @default false */
  readonly overflow?: boolean;
  /** The whole thread, if the context is beside it. */
  readonly thread?: readonly BaseMessage[];
  /** The context may have more than the newest call was sent, so that its report is too small. @default false */
  readonly mayExceedReport?: boolean;
  /** The messages of the model call, if other middleware sends others than those of the state. @default `messages` */
  readonly sent?: readonly BaseMessage[];
  /** What the call sends beside its messages. @default the system prompt and the tools of the options */
  readonly beside?: Pick<MeasuredBy, "systemPrompt" | "tools">;
  /** The state is written with the reply of a model call, so a call that fails forgets the step. @default false */
  readonly isAtCall?: boolean;
  /** What the call sends before its messages has changed since the last call. @default false */
  readonly isReframed?: boolean;
  /** The host asks between two runs, so that no reply is new. @default false */
  readonly isBetweenRuns?: boolean;
}

interface StepParts<Options> {
  readonly input: StepInput;
  readonly options: Options;
  readonly threadId: string;
}

/** One step of a thread: what a plan reads, and the only way to change the context. */
export class Step<Options extends StepOptions = ResolvedOptions> implements CommitOptions {
  readonly input: StepInput;
  readonly config: NodeConfig | undefined;
  /** The options for the budget of the run, with callbacks bound to its config. */
  readonly options: Options;
  /** Sizes differ from step to step, so that those of an earlier one are not known. */
  readonly isVaried: boolean;
  readonly report: Reporter;
  /** What has failed after the newest message, in this step and in those before it. */
  readonly failures: StepFailure[];
  #archive: Archive | undefined;
  #seal: ThreadSeal | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onError: "continue" | "throw" | undefined;
  readonly laneRun: CommitRun | undefined;
  /** What compaction remembers, from the channel, or from the newest message in a graph without it. */
  known: CompactionState | undefined;
  /** The context: genuine folds, held originals in their places, nothing that a summary covers. */
  messages: readonly BaseMessage[];
  /** The context to return if the step fails. */
  settled: readonly BaseMessage[];
  /** The context without the changes that are not archived. */
  whole: readonly BaseMessage[];
  /** The provider has refused the prompt, or ended its answer at the window. */
  overflow: boolean;
  /** Reports shortened messages of the user; false for a plan that reports them itself. */
  clips = true;
  /** The host has changed what was sent before: a provider's cache holds no prefix of what follows. */
  isEdited = false;
  /** What later steps must know of how the context was opened. */
  opening: Pick<CompactionState, "unfoldedAt" | "editedAt"> = {};
  /** The archive has failed in this step: nothing more is tried. */
  isDown = false;
  /** The step has folded something. */
  #hasFolded = false;
  /** The changes whose originals could not be archived, joined. */
  unwritten: Rewrite | undefined;

  constructor({ input, options, threadId }: StepParts<Options>) {
    const { messages, state, config, overflow = false } = input;
    this.input = input;
    this.config = config;
    const after = messages.at(-1)?.id ?? "";
    this.known = knownState(messages, state);
    this.failures = this.known?.failures?.filter((failure) => failure.after === after) ?? [];
    this.report = reporter(options, config, { threadId, failures: this.failures, after });
    this.signal = config?.signal;
    this.onError = options.onError;
    this.isVaried = isVaried(options);
    this.options = optionsOfRun(options, this);
    this.laneRun = options.lane && laneRunOf(options.lane, { files: options.files, threadId, config });
    this.messages = messages;
    this.settled = messages;
    this.whole = messages;
    this.overflow = overflow;
  }

  /** The archive of the thread. A step that reads and writes no file has none made. */
  get archive(): Archive {
    return (this.#archive ??= this.options.files.archive(this.report.threadId));
  }

  /** Proves the folds of the thread. */
  get seal(): ThreadSeal {
    return (this.#seal ??= this.options.files.seal(this.report.threadId));
  }

  /**
   * What `compactionDue` starts from: what is known. Undefined in a graph without the channel, where it reads the note on the newest
   * message itself, because the step may have another newest message by then; a step that has opened the context knows more than the note.
   */
  get remembered(): CompactionState | undefined {
    const isNoted = this.input.state !== undefined || Object.keys(this.opening).length > 0;
    return isNoted ? this.known : undefined;
  }

  /** Reads a file of the thread's archive. */
  readonly read = async (path: string): Promise<string> => this.archive.readText(path);

  /** Reads a file that the agent may show its model or archive again: none that the lane of another agent does not share. */
  readonly readShared = async (path: string): Promise<string> => {
    const { files, lane } = this.options;
    return files.thread(this.report.threadId, {}, { lane: lane?.name }).readable.readText(path);
  };

  /** Returns messages of the thread without forged folds. Hot path: most lists have no fold. */
  async admit(messages: readonly BaseMessage[]): Promise<readonly BaseMessage[]> {
    return foldsIn(messages).length === 0 ? messages : admitFolds(messages, this.seal);
  }

  /** Remembers, in this step and later ones, up to which message reported usage is out of date. */
  noteOpening(field: "unfoldedAt" | "editedAt"): void {
    const newest = this.messages.at(-1)?.id;
    if (newest === undefined) return;
    this.known = { ...this.known, [field]: newest };
    this.opening = { ...this.opening, [field]: newest };
  }

  /** Gives every message an id. Ids are the most expensive part of a quiet step, so only a step that needs them calls it. */
  nameMessages(): readonly BaseMessage[] {
    this.messages = withIds(this.messages);
    return this.messages;
  }

  /** Returns a rewrite of the context without the reasoning that it makes stale. Pure. */
  valid(rewrite: Rewrite, before: readonly BaseMessage[] = this.messages): Rewrite {
    return dropStaleReasoning(before, rewrite, this.options);
  }

  /** Returns a rewrite that removes reasoning from the context. Pure; messages need ids. */
  withoutReasoning(
    messages: readonly BaseMessage[],
    stale: Omit<DropReasoningOptions, "newest" | "tokenCounter" | "lane">,
  ): Rewrite {
    const { tokenCounter, lane } = this.options;
    const newest = messages.at(-1)?.id;
    return dropReasoning(unchanged(messages), { ...stale, newest, tokenCounter, lane });
  }

  /** Archives files that no fold refers to yet. Returns false if that fails. */
  async write(writes: readonly ArchiveWrite[]): Promise<boolean> {
    const isWritten = await commit(writes, this);
    if (!isWritten) this.isDown = true;
    return isWritten;
  }

  /**
   * Keeps the system prompt and the tools in the archive, each version of them once, and returns where they are. Returns nothing
   * where nothing is sent beside the messages, where they are kept, and in a graph without the channel.
   *
   * Tries it once: nothing of the agent depends on it, so an archive that fails here is no event of its own.
   * @throws the error of the write where `mustThrow` says so.
   */
  async keepPrompt(): Promise<Pick<CompactionState, "prompt">> {
    const { state, beside = this.options } = this.input;
    if (state === undefined || this.isDown) return {};
    try {
      const file = promptFile(beside, this.options.lane);
      if (file === undefined || file.path === this.known?.prompt) return {};
      await writeArchive([file], this.archive, []);
      return { prompt: file.path };
    } catch (error) {
      if (mustThrow(error, this)) throw error;
      return {};
    }
  }

  /** Notes where the agent's folds are, once it has folded into its lane and at each step that folds more. */
  noteLane({ lane, thread, namespace }: CommitRun): Pick<CompactionState, "lane"> {
    const { input, known } = this;
    if (input.state === undefined) return {};
    const { name, share } = lane;
    const { name: before, share: shared, namespace: run } = known?.lane ?? {};
    const isKnown = before === name && shared === share && run === namespace;
    // A tool may have folded its own result before this step.
    const hasFolded = () => foldsIn(this.messages).some(({ value: { path } }) => laneOfPath(path) === name);
    if (!this.#hasFolded && (isKnown || !hasFolded())) return {};
    return { lane: { name, share, thread, namespace, at: new Date().toISOString() } };
  }

  /**
   * Tells once of each row of at least `minCalls` tool calls that have nothing in common with the goal. The row is read from the
   * context, so a compaction shortens it, and may let it be told of again.
   */
  watchDrift(minCalls: number): Pick<CompactionState, "drift"> {
    const { calls, since = "" } = goalDrift(this.messages);
    if (calls < minCalls || this.known?.drift === since) return {};
    this.report.send({ type: "context.drift", calls, messageId: since, threadId: this.report.threadId });
    return { drift: since };
  }

  /**
   * Puts a rewrite in place of the context, once its originals are in the archive; its reasoning must be {@link valid}. Returns
   * false if they could not be archived: the plan goes on with the rewrite, and the end of the step decides whether the context
   * stays whole, or the state holds the originals.
   */
  async apply(rewrite: Rewrite, reason: CompactionReason): Promise<boolean> {
    const whole = this.unwritten === undefined ? rewrite : joinRewrites(this.unwritten, rewrite);
    const committed = await commitRewrite(whole, reason, this);
    if (committed === undefined) {
      this.isDown = true;
      this.unwritten = whole;
      this.messages = whole.messages;
      return false;
    }
    this.unwritten = undefined;
    this.#hasFolded ||= committed.folds.length > 0;
    this.settle(committed.messages);
    return true;
  }

  /** Puts messages in place of the context whose originals need no archive. */
  settle(messages: readonly BaseMessage[]): void {
    this.messages = messages;
    this.settled = messages;
    this.whole = messages;
  }
}
