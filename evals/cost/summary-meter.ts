import type { BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { SummaryWriter } from "../horizon/systems/summary-writer.js";

/** Tokens, of four characters, of the calls of a summary model. */
export interface SummaryTokens {
  readonly input: number;
  readonly output: number;
}

/** Counts what summary models read and write. */
export class SummaryMeter {
  #counted: SummaryTokens = { input: 0, output: 0 };

  add(prompt: readonly BaseMessage[], answer: string): void {
    const { input, output } = this.#counted;
    const read = prompt.reduce((sum, message) => sum + message.text.length, 0);
    this.#counted = { input: input + read / 4, output: output + answer.length / 4 };
  }

  /** Returns what was counted since the last time. */
  take(): SummaryTokens {
    const counted = this.#counted;
    this.#counted = { input: 0, output: 0 };
    return counted;
  }
}

/** The summary model that every system gets, with a meter. */
export class MeteredWriter extends SummaryWriter {
  constructor(
    window: number,
    readonly meter: SummaryMeter,
  ) {
    super(window);
  }

  override async answer(messages: BaseMessage[]): Promise<ChatResult> {
    const result = await super.answer(messages);
    this.meter.add(messages, result.generations[0]?.text ?? "");
    return result;
  }
}
