import type { ScriptedReply } from "@palimpsest/provider-doubles";
import type { Work } from "./works.js";

/** What happens to a run in its middle. */
export type Journey =
  | "straight"
  | "streaming"
  /** The provider fails; a new graph goes on from the checkpoint. */
  | "resume"
  /** After the end, the run goes on from a checkpoint in its middle. */
  | "fork"
  /** The provider's window is 0.6 of the one that the agent was told. */
  | "overflow"
  /** All folds of the thread are opened by hand. */
  | "unfold";

const compressContext = "compress_context";

/** The model: says what the work lists, and asks for a compaction where lines in the prompt tell it that the window fills up. */
export class Script {
  readonly #all: readonly ScriptedReply[];
  readonly #left: ScriptedReply[];
  readonly #toolNames: ReadonlySet<string>;
  readonly #journey: Journey;
  readonly #half: number;
  #linesSeen = 0;
  #hasPaused = false;
  /** True where the newest reply ended the run in its middle, for the host to open the folds. */
  isPaused = false;
  hasFailed = false;

  constructor({ turns }: Work, journey: Journey) {
    this.#all = turns.flatMap(({ replies }) => replies);
    this.#left = [...this.#all];
    this.#toolNames = new Set(this.#all.flatMap(({ calls = [] }) => calls.map(({ name }) => name)));
    this.#journey = journey;
    this.#half = Math.floor(this.#all.length / 2);
  }

  get isDone(): boolean {
    return this.#left.length === 0;
  }

  /** Says the second half once more. */
  repeatHalf(): void {
    this.#left.push(...this.#all.slice(this.#half));
  }

  reply(toolNames: readonly string[], prompt: () => string): ScriptedReply {
    if (!toolNames.some((name) => this.#toolNames.has(name)))
      return { text: "## Findings\n- The work goes on." };
    this.isPaused = false;
    if (toolNames.includes(compressContext) && this.#isAsked(prompt())) return compressCall;
    const isHalf = this.#left.length === this.#all.length - this.#half;
    if (isHalf && this.#journey === "resume" && !this.hasFailed) {
      this.hasFailed = true;
      throw new Error("The provider failed");
    }
    if (isHalf && this.#journey === "unfold" && !this.#hasPaused) {
      this.#hasPaused = true;
      this.isPaused = true;
      return { thinking: "The user wants to see this first.", text: "Half of it is done." };
    }
    return this.#left.shift() ?? { text: "Nothing is left." };
  }

  /** Every third line about the window is followed. */
  #isAsked(prompt: string): boolean {
    const lines = prompt.split("[Context: about").length - 1;
    const isNew = lines > this.#linesSeen && lines % 3 === 0;
    this.#linesSeen = lines;
    return isNew;
  }
}

const compressCall: ScriptedReply = {
  thinking: "The window fills up, and the present part is done.",
  calls: [{ name: compressContext, args: { reason: "a part is done" } }],
};
