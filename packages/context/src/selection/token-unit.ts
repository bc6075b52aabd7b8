import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import type { TokenCounter } from "../tokens/token-counter.js";

/** Tokens of what stands around the chosen lines. */
export interface ExcerptCosts {
  /** Of the line that says where an excerpt comes from. */
  readonly header: number;
  /** Of the mark for lines left out inside an excerpt. */
  readonly gap: number;
  /** Of the head of a stand-in for a range of chunks. */
  readonly standIn: number;
}

/** The unit in which an index counts: that of a token counter, or tokens of four characters. */
export interface TokenUnit {
  readonly costs: ExcerptCosts;
  /** Returns the tokens of a text inside a message. */
  text(text: string): number;
  /** Returns the tokens of whole messages; undefined for the unit of characters, which counts their lines. */
  messages(messages: readonly BaseMessage[]): number | undefined;
}

const header = "[1200-3fa9c1:120]\n";
const gap = "⋮\n";
const standIn = "[steps 1200 to 1570: /context/steps/runs/1200-1570-3fa9c1.md]";

const fourCharacters: TokenUnit = {
  costs: { header: header.length / 4, gap: gap.length / 4, standIn: 17 },
  text: (text) => text.length / 4,
  messages: () => undefined,
};

/** Returns the unit of a counter; without one, tokens of four characters. */
export function tokenUnit(counter: TokenCounter | undefined): TokenUnit {
  if (counter === undefined) return fourCharacters;
  const around = counter([new HumanMessage("")]);
  const text = (one: string) => Math.max(0, counter([new HumanMessage(one)]) - around);
  return {
    costs: { header: text(header), gap: text(gap), standIn: counter([new HumanMessage(standIn)]) },
    text,
    messages: (messages) => counter(messages),
  };
}
