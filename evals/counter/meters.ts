import type { BaseMessage } from "@langchain/core/messages";
import { estimateTokens, measureContext, tokenCounterFrom, type TokenCounter } from "@palimpsest/context";
import { type ContextMeasure } from "@palimpsest/context/internal";
import { countWithGptTokenizer } from "@palimpsest/context/gpt-tokenizer";
import { countTokensApproximately } from "langchain";

/** Estimates the tokens of a prompt. Called for the prompts of a run in order. */
export type Meter = (messages: readonly BaseMessage[]) => number;

export interface NamedMeter {
  readonly name: string;
  readonly isOurs: boolean;
  /** Starts a run; `first` are a prompt and its reported tokens, the first of the run. */
  readonly start: (first: {
    readonly messages: readonly BaseMessage[];
    readonly inputTokens: number;
  }) => Meter;
}

const charsOverFour = tokenCounterFrom((text) => text.length / 4);

/** The meters, ours first. */
export const meters: readonly NamedMeter[] = [
  anchored("Palimpsest: measureContext (estimate)", estimateTokens),
  anchored("Palimpsest: measureContext (o200k)", countWithGptTokenizer),
  afterFold("Palimpsest: right after a fold", estimateTokens),
  plain("Palimpsest: estimateTokens alone", estimateTokens, true),
  plain("o200k tokenizer", countWithGptTokenizer),
  plain("characters / 4", charsOverFour),
  plain("langchain: countTokensApproximately", (messages) => countTokensApproximately([...messages])),
  beside("o200k + what the first call had beside", countWithGptTokenizer),
  beside("characters / 4 + what the first call had beside", charsOverFour),
];

/** What the nodes use: anchored on reported usage. */
function anchored(name: string, tokenCounter: TokenCounter): NamedMeter {
  return { name, isOurs: true, start: () => (messages) => measureContext(messages, { tokenCounter }).tokens };
}

/** Calls after which a meter gets no further usage. */
const callsWithoutUsage = 10;

/** What the nodes know right after a fold: ratio and overhead from ten calls ago, and no usage since. */
function afterFold(name: string, tokenCounter: TokenCounter): NamedMeter {
  return {
    name,
    isOurs: true,
    start() {
      const measured: ContextMeasure[] = [];
      return (messages) => {
        const now = measureContext(messages, { tokenCounter });
        measured.push(now);
        const known = measured.at(-1 - callsWithoutUsage);
        if (known === undefined) return now.tokens;
        return known.overheadTokens + known.tokenRatio * tokenCounter(messages);
      };
    },
  };
}

function plain(
  name: string,
  count: (messages: readonly BaseMessage[]) => number,
  isOurs = false,
): NamedMeter {
  return { name, isOurs, start: () => count };
}

/** Knows the size of system prompt and tools: the tokens of the first call beyond its messages. */
function beside(name: string, count: TokenCounter): NamedMeter {
  return {
    name,
    isOurs: false,
    start({ messages, inputTokens }) {
      const overhead = Math.max(0, inputTokens - count(messages));
      return (prompt) => overhead + count(prompt);
    },
  };
}
