import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { estimateTokens, toolCalls } from "@palimpsest/context";
import { items, sections } from "./start-site.js";

interface Call {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/**
 * An offline model with one habit: it walks through the shop page by page, merges a section into one block once it has
 * seen all of it, and unfolds what it needs at the end.
 *
 * It knows nothing but the messages of its prompt.
 */
export class BrowsingModel extends BaseChatModel {
  largestPrompt = 0;
  readonly #start: string;

  constructor(start: string) {
    super({});
    this.#start = start;
  }

  override bindTools(_: unknown[]): this {
    return this;
  }

  override _llmType(): string {
    return "browsing-model";
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.largestPrompt = Math.max(this.largestPrompt, estimateTokens(messages));
    const { text, calls } = this.#nextStep(messages);
    const message = new AIMessage({
      content: text,
      tool_calls: calls.map((call) => ({ ...call, id: crypto.randomUUID() })),
    });
    return { generations: [{ text, message }] };
  }

  #nextStep(messages: readonly BaseMessage[]): { readonly text: string; readonly calls: readonly Call[] } {
    const prompt = messages.map((message) => message.text).join("\n");
    const price = Number(/lamp by Hollis costs (\d+)/.exec(prompt)?.[1]);
    const off = Number(/takes (\d+) euros off a lamp by Hollis/.exec(prompt)?.[1]);
    if (price > 0 && off > 0)
      return { text: `${price - off} euros: ${price}, and ${off} off with the voucher.`, calls: [] };
    if (price > 0) return { text: "The voucher was in an earlier page.", calls: [unfoldVoucher(prompt)] };
    const last = lastUrl(messages);
    const url = last === undefined ? this.#start : this.#nextUrl(last);
    return {
      text: `Opening ${url}.`,
      calls: [{ name: "open_page", args: { url } }, ...fold(messages, last)],
    };
  }

  #nextUrl(last: string): string {
    const [section, item] = placeOf(last);
    if (item === items || section === 0) return `${this.#start}section-${Math.min(sections, section + 1)}`;
    return `${this.#start}section-${section}/item-${item + 1}`;
  }
}

function lastUrl(messages: readonly BaseMessage[]): string | undefined {
  const urls = messages.flatMap(toolCalls).filter(({ name }) => name === "open_page");
  return urls.map(({ args }) => String(args["url"])).at(-1);
}

/** Section and item of an address; 0 for the lists above them. */
function placeOf(url: string): readonly [number, number] {
  const [, section, item] = /(?:section-(\d+))?(?:\/item-(\d+))?$/.exec(url) ?? [];
  return [Number(section ?? 0), Number(item ?? 0)];
}

/** A section that is seen to its end becomes one block: what it had, and where the rest stands. */
function fold(messages: readonly BaseMessage[], last: string | undefined): readonly Call[] {
  const [section, item] = placeOf(last ?? "");
  if (item !== items - 1) return [];
  const lines = messages.map((message) => message.text).join("\n");
  const own = [...lines.matchAll(/^\[S\d+ steps (\d+)-(\d+)\] .*/gm)].filter(([line]) =>
    line.includes(`section-${section}`),
  );
  const [first, end] = [own[0]?.[1], own.at(-1)?.[2]];
  if (first === undefined || end === undefined) return [];
  const found = own.some(([line]) => line.includes("V-4821"))
    ? "item-3 has a voucher for lamps by Hollis"
    : "no lamp by Hollis";
  const summary = `section-${section}, items 1 to ${items - 2}: ${found}; chairs, tables, vases and clocks otherwise.`;
  return [{ name: "fold_context", args: { range: [Number(first), Number(end)], summary } }];
}

/** The block that speaks of the voucher: it was merged with others, but its originals are a label away. */
function unfoldVoucher(prompt: string): Call {
  const id = /\[S(\d+) steps [^\]]*\][^\n]*voucher/.exec(prompt)?.[1];
  return { name: "unfold", args: { fold: `S${id}` } };
}
