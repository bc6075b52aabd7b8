import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MemorySaver } from "@langchain/langgraph";
import { isContextOverflow } from "@palimpsest/context";
import { buildHost, lastNodes, type Family, type Parts, type PlayedGraph } from "./play-host.js";
import type { Move } from "./script.js";
import type { Texts } from "./texts.js";

type Turn = Extract<Move, { kind: "turn" }>;

/** The checkpoint that the next run starts from. */
export type Head = RunnableConfig;

/** A law that a play found broken. */
export class Violation extends Error {
  constructor(
    /** What is wrong, in one word. */
    readonly kind: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface SideOptions {
  readonly texts: Texts;
  readonly family: Family;
}

const newest: Head = { configurable: { thread_id: "t" } };
const recursionLimit = 200;

/** Failures that a script asks for. */
const scripted = "503: the provider is down";

/** One of the two runs of a script: this one is the host alone. */
export class Side {
  head: Head = newest;
  protected readonly saver = new MemorySaver();
  protected readonly texts: Texts;
  readonly #family: Family;
  #turn: { readonly move: Turn; readonly index: number } | undefined;
  /** Calls of the model in this turn that were answered, and that failed. */
  #answered = 0;
  readonly #failed = new Set<number>();
  #graph: PlayedGraph | undefined;

  constructor({ texts, family }: SideOptions) {
    this.texts = texts;
    this.#family = family;
  }

  /** Lets the host run until the turn is answered. */
  async turn(added: readonly BaseMessage[], move: Turn, index: number): Promise<void> {
    this.#turn = { move, index };
    this.#answered = 0;
    this.#failed.clear();
    await this.#run({ messages: [...added] }, this.head, move.pause);
    this.head = newest;
    // After a failed call or an interrupt, the host resumes until nothing is left to do.
    for (let attempt = 0; !(await this.#isDone(move)); attempt++) {
      if (attempt === 100)
        throw new Violation("run", `${this.#answered} of ${move.steps.length} calls were answered`);
      await this.#run(null, newest, move.pause);
    }
  }

  /** Changes the messages of the thread between two runs. */
  async change(update: (list: readonly BaseMessage[]) => readonly BaseMessage[]): Promise<void> {
    const messages = [...update(await this.messages())];
    await this.graph.updateState(this.head, { messages }, lastNodes[this.#family]);
    this.head = newest;
  }

  async messages(): Promise<readonly BaseMessage[]> {
    const { values } = await this.graph.getState(this.head);
    return (values as { readonly messages?: readonly BaseMessage[] }).messages ?? [];
  }

  /** Returns the checkpoint of now, to return to. */
  async mark(): Promise<Head> {
    return (await this.graph.getState(newest)).config;
  }

  protected get graph(): PlayedGraph {
    this.#graph ??= this.#build();
    return this.#graph;
  }

  /** Forgets all that is in memory. */
  protected restart(): void {
    this.#graph = undefined;
  }

  protected parts(): Parts {
    return {};
  }

  /** The error of a call that a script makes fail. The host alone has a window that nothing overflows. */
  protected errorOf(kind: "down" | "overflow"): Error | undefined {
    return kind === "down" ? new Error(scripted) : undefined;
  }

  /** Called with each prompt; returns the usage that the provider reports. */
  protected onPrompt(_prompt: readonly BaseMessage[], _reply: string): number | undefined {
    return undefined;
  }

  protected get stops(): "*" | readonly string[] | undefined {
    return undefined;
  }

  /** A run that an error handler ended has nothing left to do, and can be resumed all the same. */
  async #isDone(move: Turn): Promise<boolean> {
    if (this.#answered < move.steps.length) return false;
    return (await this.graph.getState(newest)).next.length === 0;
  }

  async #run(input: unknown, config: Head, pauses: boolean): Promise<void> {
    const stops = this.stops ?? (pauses ? ["tools"] : undefined);
    const options = { ...config, recursionLimit, ...(stops === undefined ? {} : { interruptBefore: stops }) };
    try {
      await this.graph.invoke(input, options);
    } catch (error) {
      if (!isScripted(error)) throw error;
    }
    if (stops === "*") this.restart();
  }

  #build(): PlayedGraph {
    return buildHost(this.#family, this.parts(), {
      answer: (prompt) => this.#answer(prompt),
      result: (callId) => this.#result(callId),
      saver: this.saver,
      window: this.texts.settings.window,
    });
  }

  #answer(prompt: readonly BaseMessage[]): AIMessage {
    const { move, index } = this.#current();
    const at = this.#answered;
    const step = move.steps[at];
    if (step === undefined) throw new Violation("run", "the model is called once more behind its answer");
    const usage = this.onPrompt(prompt, `a${index}.${at}`);
    const error = step.error === undefined || this.#failed.has(at) ? undefined : this.errorOf(step.error);
    this.#failed.add(at);
    if (error !== undefined) throw error;
    this.#answered++;
    return this.texts.reply({ move: index, step: at }, step, usage);
  }

  #result(callId: string): ToolMessage {
    const { move, index } = this.#current();
    const at = this.#answered - 1;
    const call = Number(callId.slice(callId.lastIndexOf("-") + 1));
    const size = move.steps[at]?.calls[call];
    if (size === undefined) throw new Violation("run", `the call ${callId} was not asked for`);
    return this.texts.result({ move: index, step: at }, size, call);
  }

  #current() {
    if (this.#turn === undefined) throw new Violation("run", "the model is called between two turns");
    return this.#turn;
  }
}

function isScripted(error: unknown): boolean {
  return isContextOverflow(error) || String(error).includes(scripted);
}
