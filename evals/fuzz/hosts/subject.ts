import { ContextOverflowError } from "@langchain/core/errors";
import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import { copyMessage, estimateTokens } from "@palimpsest/context";
import type { ContextEvent } from "@palimpsest/langgraph";
import { readThread } from "@palimpsest/langgraph/threads";
import { FileError, VirtualFilesystem } from "@palimpsest/vfs";
import { ReasoningRecord } from "../reasoning-record.js";
import { UnsteadyDriver } from "../../live/unsteady-driver.js";
import { checkPrompt } from "./check-prompt.js";
import type { Parts } from "./play-host.js";
import type { Move } from "./script.js";
import { Side, Violation, type SideOptions } from "./side.js";
import type { Strategy } from "./strategies.js";
import { isPinned } from "./texts.js";

type Turn = Extract<Move, { kind: "turn" }>;

export interface SubjectOptions extends Pick<SideOptions, "texts"> {
  readonly strategy: Strategy;
  readonly restarts: boolean;
}

/** The run of a script in a host with a strategy. Checks every prompt. */
export class Subject extends Side {
  /** The thread that the turn leads to, as it is without us. */
  thread: readonly BaseMessage[] = [];
  /** Words that were taken out of the thread. */
  forbidden = new Set<string>();
  readonly isView: boolean;
  /** Images of the prompts, in the order of the calls. */
  readonly prompts: string[] = [];
  readonly #strategy: Strategy;
  readonly #restarts: boolean;
  #isDown = false;
  // An error of this class is not tried again after a pause, which would only make the play slower.
  readonly #driver = new UnsteadyDriver((_, path) =>
    this.#isDown ? new FileError("read-only", `${path} cannot be written: the storage is read-only`) : "kept",
  );
  #files = filesystem(this.#driver);
  readonly #events: ContextEvent[] = [];
  readonly #usage = new Map<string, number>();
  readonly #pinned = new Set<string>();
  readonly #reasoning = new ReasoningRecord();
  readonly #found: Violation[] = [];
  /** What the stand-ins of all prompts and states so far say, each text once. */
  readonly #quotes = new Set<string>();

  constructor({ texts, strategy, restarts }: SubjectOptions) {
    super({ texts, family: strategy.family });
    this.#strategy = strategy;
    this.#restarts = restarts;
    this.isView = this.parts().outputKey !== undefined;
  }

  override async turn(added: readonly BaseMessage[], move: Turn, index: number): Promise<void> {
    this.#isDown = move.outage;
    const failure = await super.turn(added, move, index).then(
      () => undefined,
      (error: unknown) => error,
    );
    this.#isDown = false;
    // A law that a prompt broke says more than what the run made of it.
    const first = this.#found[0] ?? failure;
    if (first !== undefined) throw first as Error;
  }

  /** Forbids words in later prompts, but for those that a summary has quoted before: a later one may quote it. */
  async forbid(words: readonly string[]): Promise<void> {
    this.#noteQuotes(await this.context());
    const quotes = [...this.#quotes].join("\n");
    for (const word of words) if (!quotes.includes(word)) this.forbidden.add(word);
  }

  /** Returns a message of the control with the usage that the provider reported here. */
  asCreated(message: BaseMessage): BaseMessage {
    const usage = this.#usage.get(message.id ?? "");
    if (usage === undefined || message.getType() !== "ai" || !isReply(message)) return message;
    const usage_metadata = { input_tokens: usage, output_tokens: 9, total_tokens: usage + 9 };
    return copyMessage(message, { usage_metadata });
  }

  async readBack(): Promise<readonly BaseMessage[]> {
    return readThread(this.graph, this.head as never, { files: this.#files });
  }

  /** Returns what the model is sent next, but for what is new. */
  async context(): Promise<readonly BaseMessage[]> {
    const values = (await this.graph.getState(this.head)).values as Readonly<Record<string, BaseMessage[]>>;
    return (this.isView ? values["context"] : values["messages"]) ?? [];
  }

  protected override parts(): Parts {
    const onEvent = (event: ContextEvent) => void this.#events.push(event);
    return this.#strategy.parts({ settings: this.texts.settings, files: this.#files, onEvent });
  }

  protected override restart(): void {
    super.restart();
    this.#files = filesystem(this.#driver);
  }

  protected override errorOf(kind: "down" | "overflow"): Error | undefined {
    return kind === "overflow" ? new ContextOverflowError("prompt is too long") : super.errorOf(kind);
  }

  protected override get stops() {
    return this.#restarts ? ("*" as const) : undefined;
  }

  protected override onPrompt(prompt: readonly BaseMessage[], reply: string): number | undefined {
    const { settings } = this.texts;
    const at = this.thread.findIndex(({ id }) => id === reply);
    const thread = this.thread.slice(0, at);
    for (const message of thread) if (isPinned(message, settings)) this.#pinned.add(message.id ?? "");
    this.#found.push(
      ...checkPrompt({
        prompt,
        thread,
        strategy: this.#strategy,
        settings,
        events: this.#events,
        forbidden: this.forbidden,
        pinned: this.#pinned,
        reasoning: this.#reasoning,
        isOutage: this.#events.some(({ type }) => type === "context.fail"),
      }).map((one) => new Violation(one.slice(0, one.indexOf(":")), `before ${reply}, ${one}`)),
    );
    this.#noteQuotes(prompt);
    this.prompts.push(prompt.map(sentImage).join("\n"));
    const answer = this.thread[at];
    if (answer !== undefined) this.#reasoning.record([...prompt, answer], prompt.length);
    if (!settings.reportsUsage) return undefined;
    const usage = estimateTokens(prompt);
    this.#usage.set(reply, usage);
    return usage;
  }

  #noteQuotes(messages: readonly BaseMessage[]): void {
    for (const message of messages) if (isStandIn(message)) this.#quotes.add(JSON.stringify(message.content));
  }
}

/**
 * Returns a filesystem whose keys every process derives: else nobody opens what an earlier process has left in state because the
 * archive was down before the thread had a key.
 */
function filesystem(driver: UnsteadyDriver): VirtualFilesystem {
  return new VirtualFilesystem({ driver, sealKey: "secret" });
}

/** Returns what a provider receives of a message, and its id. */
function sentImage(message: BaseMessage): string {
  const {
    id,
    content,
    tool_calls: calls,
    tool_call_id: answers,
  } = message as Partial<AIMessage & ToolMessage>;
  return JSON.stringify([message.getType(), id, content, calls, answers]);
}

/** Returns true for a reply of the model: what a host puts in its place has another form. */
function isReply(message: BaseMessage): boolean {
  return message.response_metadata["model_name"] !== undefined;
}

function isStandIn({ id = "" }: BaseMessage): boolean {
  return !/^[uari]\d/.test(id);
}
