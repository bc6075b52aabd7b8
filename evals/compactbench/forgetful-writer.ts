import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { randomFrom } from "../data/random-from.js";
import { SummaryWriter } from "../horizon/systems/summary-writer.js";

/** Share of the lines of a conversation that a summary of the forgetful model keeps. */
const keptShare = 0.8;

/**
 * A scripted summary model that reads all that it is shown: it leaves out the rows of tool results, and of every other line it
 * keeps four of five, word for word, chosen by its seed. So what is summarized again and again fades, wherever it stood.
 */
export class ForgetfulWriter extends SummaryWriter {
  readonly #random: () => number;

  constructor(window: number, seed: number) {
    super(window);
    this.#random = randomFrom(seed);
  }

  override async answer(messages: BaseMessage[]): Promise<ChatResult> {
    const texts = messages.map(({ text }) => text);
    const heading = texts.some((text) => /^## Findings$/m.test(text)) ? "## Findings" : "## Work so far";
    const kept = texts
      .flatMap((text) => conversationOf(text).split("\n"))
      .map((line) => line.replace(/^- /, ""))
      .filter((line) => isTalk(line) && this.#random() < keptShare);
    const text = [heading, ...kept.map((line) => `- ${line}`)].join("\n");
    return { generations: [{ text, message: new AIMessage(text) }] };
  }
}

/** Returns what a prompt asks to summarize, without what it says about the form: where it marks it. */
function conversationOf(prompt: string): string {
  return /<(conversation|messages)>\n([\s\S]*)\n<\/\1>/.exec(prompt)?.[2] ?? prompt;
}

/** Rows of results begin with `row`; headings and empty lines say nothing. */
function isTalk(line: string): boolean {
  return line.trim() !== "" && !/^\W*(#|(tool: *)?row )/i.test(line);
}
