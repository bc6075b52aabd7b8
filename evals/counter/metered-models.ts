import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { textOf } from "../data/text-of.js";
import { o200k } from "./plain-count.js";

/** A model that reports usage, with a vocabulary of its own. */
export interface MeteredModel {
  readonly name: string;
  /** Tokens of a prompt, what is sent beside its messages included. `call` is the number of the call in the thread. */
  readonly inputTokens: (messages: readonly BaseMessage[], call: number) => number;
}

interface Vocabulary {
  readonly name: string;
  /** Tokens for each o200k token of plain words. */
  readonly words: number;
  /** What digits and signs add to that, by their share of the characters. */
  readonly signs: number;
  /** Tokens of a message and of a call beside their text. */
  readonly message: number;
  readonly call: number;
  /** System prompt and tool schemas; more from a call of the thread on, when tools were added. */
  readonly beside: number;
  readonly added: { readonly from: number; readonly tokens: number };
}

const vocabularies: readonly Vocabulary[] = [
  {
    name: "model-a",
    words: 1.05,
    signs: 0.9,
    message: 7,
    call: 14,
    beside: 9_000,
    added: { from: 25, tokens: 1_400 },
  },
  {
    name: "model-b",
    words: 1.3,
    signs: 0.5,
    message: 4,
    call: 40,
    beside: 11_500,
    added: { from: 0, tokens: 0 },
  },
];

/** Two models whose usage is no linear function of any count: it depends on what the text consists of. */
export const meteredModels: readonly MeteredModel[] = vocabularies.map((vocabulary) => {
  const known = new WeakMap<BaseMessage, number>();
  const tokensOf = (message: BaseMessage) => {
    const tokens = known.get(message) ?? messageTokens(message, vocabulary);
    known.set(message, tokens);
    return tokens;
  };
  const { name, beside, added } = vocabulary;
  return {
    name,
    inputTokens: (messages, call) =>
      Math.round(
        messages.reduce((sum, message) => sum + tokensOf(message), beside) +
          (call >= added.from ? added.tokens : 0),
      ),
  };
});

function messageTokens(message: BaseMessage, { words, signs, message: each, call }: Vocabulary): number {
  const text = textOf(message);
  const share = (text.match(/[^\sA-Za-z]/g) ?? []).length / Math.max(1, text.length);
  return each + call * toolCalls(message).length + (words + signs * share) * o200k([message]);
}
