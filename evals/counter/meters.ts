import { AIMessage } from "@langchain/core/messages";
import { estimateTokens, measureContext, type TokenCounter } from "@palimpsest/context";
import { countWithGptTokenizer } from "@palimpsest/context/gpt-tokenizer";
import { countTokensApproximately } from "langchain";
import { withUsage, type MeteredPrompt } from "./metered-prompt.js";
import { charsOverFour, o200k, type Count } from "./plain-count.js";

/** Estimates the tokens of a prompt. */
export type Meter = (prompt: MeteredPrompt) => number;

/** Starts a run with its first prompt. */
type Start = (first: MeteredPrompt["before"]) => Meter;

export interface NamedMeter {
  readonly name: string;
  readonly isOurs: boolean;
  readonly start: Start;
}

const langchainCount: Count = (messages) => countTokensApproximately([...messages]);

/** The meter of the nodes. */
export const ours = anchored("Palimpsest: measureContext (estimate)", estimateTokens);

/** The meters, ours first. */
export const meters: readonly NamedMeter[] = [
  ours,
  anchored("Palimpsest: measureContext (o200k)", countWithGptTokenizer),
  { name: "Palimpsest: estimateTokens alone", isOurs: true, start: plain(estimateTokens) },
  rival("the last reported usage", () => (prompt) => prompt.before.inputTokens),
  rival("last usage + characters / 4", sinceUsage(charsOverFour)),
  rival("last usage + o200k", sinceUsage(o200k)),
  rival("o200k tokenizer", plain(o200k)),
  rival("characters / 4", plain(charsOverFour)),
  rival("langchain: countTokensApproximately", plain(langchainCount)),
  rival("o200k times the last usage / o200k", scaled(o200k)),
  rival("characters / 4 times the last usage / characters", scaled(charsOverFour)),
  rival("a line through the first and the last usage, o200k", line(o200k)),
  rival("a line through the first and the last usage, characters / 4", line(charsOverFour)),
];

function rival(name: string, start: Start): NamedMeter {
  return { name, isOurs: false, start };
}

/** What the nodes use: anchored on reported usage, with what the thread's state holds where that usage no longer applies. */
function anchored(name: string, tokenCounter: TokenCounter): NamedMeter {
  const start = (): Meter => {
    let known: { readonly overheadTokens: number; readonly tokenRatio: number } | undefined;
    return ({ messages, before }) => {
      // What a node writes into the state at a compaction: the measure of what it found, the last reply with its usage included.
      const reply = withUsage(new AIMessage(""), before);
      const last = measureContext([...before.messages, reply], { tokenCounter, ...known });
      const { overheadTokens, tokenRatio } = last;
      if (last.source === "usage") known = { overheadTokens, tokenRatio };
      return measureContext(messages, { tokenCounter, ...known }).tokens;
    };
  };
  return { name, isOurs: true, start };
}

/** The last usage, and what came and went since by a count. */
function sinceUsage(count: Count): Start {
  return () => (prompt) => {
    const { messages, inputTokens } = prompt.before;
    return inputTokens + count(prompt.messages) - count(messages);
  };
}

function plain(count: Count): Start {
  return () => (prompt) => count(prompt.messages);
}

/** Multiplies a count by the last usage for each token of the count. */
function scaled(count: Count): Start {
  return () => (prompt) => {
    const { inputTokens, messages } = prompt.before;
    return (inputTokens / Math.max(1, count(messages))) * count(prompt.messages);
  };
}

/** Takes the tokens of the provider as a linear function of a count, through the first and the last usage. */
function line(count: Count): Start {
  return (first) => (prompt) => {
    const counted = count(prompt.before.messages);
    const grown = counted - count(first.messages);
    const slope = grown > 0 ? (prompt.before.inputTokens - first.inputTokens) / grown : 1;
    return prompt.before.inputTokens + slope * (count(prompt.messages) - counted);
  };
}
