import { typicalPrices } from "@palimpsest/context/internal";
import type { Prices } from "@palimpsest/context";
import { PromptMeter, type Measured } from "./measure-prompts.js";
import { Needs } from "./needs.js";
import { nodeWith, policies, promptsOf, type Settings } from "./policies.js";
import { recordedRun, type RecordedRun } from "./recorded-run.js";

export interface ReplayOptions {
  /** @default what the session says, else 200,000 */
  readonly window?: number | undefined;
  readonly pricesOf: (model: string) => Prices | undefined;
}

export interface ReplayedSession {
  readonly session: string;
  readonly model: string | undefined;
  readonly window: number;
  /** Whether the bill is in money, or relative to the price of a million input tokens. */
  readonly isPriced: boolean;
  /** What happened first, then each policy. */
  readonly rows: readonly Measured[];
}

const defaultWindow = 200_000;
/** The name of what really happened, among the policies. */
export const recorded = "as it happened";

/** One session that is replayed under several policies. What its calls need is found once. */
export class Replay {
  readonly run: RecordedRun;
  readonly window: number;
  readonly #prices: Prices | undefined;
  readonly #needs: Needs;

  private constructor(run: RecordedRun, { window, pricesOf }: ReplayOptions) {
    this.run = run;
    this.window = window ?? run.facts.window ?? defaultWindow;
    this.#prices = run.facts.model === undefined ? undefined : pricesOf(run.facts.model);
    this.#needs = new Needs(run.messages);
  }

  static async of(path: string, options: ReplayOptions): Promise<Replay> {
    return new Replay(await recordedRun(path), options);
  }

  async under(names: readonly string[]): Promise<ReplayedSession> {
    const rows = [this.#recorded()];
    for (const name of names) {
      const make = policies[name];
      if (make !== undefined) rows.push(await this.#measured(name, make(this.#room())));
    }
    const { session, facts } = this.run;
    return { session, model: facts.model, window: this.window, isPriced: this.#prices !== undefined, rows };
  }

  /** Returns what settings of the compaction come to. */
  async with(settings: Settings): Promise<Measured> {
    return this.#measured(JSON.stringify(settings), nodeWith(settings, this.#room()));
  }

  /** The node counts messages: what else is in the prompt takes room from it. */
  #room(): number {
    return Math.max(4_000, this.window - this.run.overhead);
  }

  #recorded(): Measured {
    const meter = this.#meter(recorded);
    const { messages, prompts, summaries } = this.run;
    for (const message of messages) {
      const prompt = prompts.get(message.id ?? "");
      if (message.getType() === "ai" && prompt !== undefined) meter.add(message, prompt);
    }
    return meter.result(summaries);
  }

  async #measured(policy: string, node: Parameters<typeof promptsOf>[1]): Promise<Measured> {
    const meter = this.#meter(policy);
    for await (const { answer, prompt } of promptsOf(this.run.messages, node)) meter.add(answer, prompt);
    return meter.result();
  }

  #meter(policy: string): PromptMeter {
    const { overhead } = this.run;
    return new PromptMeter({
      policy,
      window: this.window,
      overhead,
      needs: this.#needs,
      prices: this.#prices ?? typicalPrices,
    });
  }
}
