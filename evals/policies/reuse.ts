import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  excerptParts,
  renderExcerpt,
  ReuseIndex,
  selectContext,
  selectOnward,
  type ContextSelection,
  type KeptContext,
  type ReuseWeights,
} from "@palimpsest/context/selection";
import { charsOverFour, textOf } from "../data/text-of.js";
import { ChunkLog } from "./chunk-log.js";
import type { Policy } from "./policy.js";

export interface ReusePolicyOptions {
  /**
   * Share of the budget down to which it selects, to keep the selection until the budget is full, and then as much of the
   * prompt's beginning as is worth it. @default a new selection at each step
   */
  readonly sticky?: number;
  /** @default reuseWeights */
  readonly weights?: ReuseWeights;
}

/** A part of the context: some excerpts, or a whole chunk. */
interface Part {
  readonly messages: readonly BaseMessage[];
  readonly tokens: number;
  /** Of a whole chunk. */
  readonly chunk?: number;
}

/** What the predictive node does where a selection stays: parts of a full budget, and share of the newest steps. */
const parts = 12;
const recentShare = 0.12;

/** Returns reuse coverage: the lines that the next call will most probably use, under the budget. */
export function reuse({ sticky, weights }: ReusePolicyOptions = {}): Policy {
  const fitted = weights === undefined ? {} : { weights };
  return {
    name: sticky === undefined ? "reuse coverage" : `reuse coverage, sticky ${sticky}`,
    start({ budget }) {
      const thread: Thread = { log: new ChunkLog(), index: new ReuseIndex() };
      let shown: readonly Part[] = [];
      return {
        async context(added) {
          const chunks = thread.log.add(added);
          for (const { messages } of chunks) thread.index.append(messages);
          if (sticky === undefined) {
            shown = inOrder(selectContext(thread.index, { budget, ...fitted }), thread);
          } else {
            const longer = [...shown, ...chunks.map(({ index }) => wholePart(index, thread))];
            const fits = shown.length > 0 && tokensOf(longer) <= budget;
            shown = fits ? longer : onward(shown, { thread, limit: budget, budget: sticky * budget, fitted });
          }
          return shown.flatMap(({ messages }) => messages);
        },
      };
    },
  };
}

interface Thread {
  readonly log: ChunkLog;
  readonly index: ReuseIndex;
}

interface OnwardOptions {
  readonly thread: Thread;
  readonly budget: number;
  readonly limit: number;
  readonly fitted: { readonly weights?: ReuseWeights };
}

function onward(shown: readonly Part[], { thread, budget, limit, fitted }: OnwardOptions): readonly Part[] {
  const prefixes = shown.map((_, at) => prefixOf(shown.slice(0, at + 1)));
  const options = { budget, limit, prefixes, recentShare, ...fitted };
  const { selection, kept } = selectOnward(thread.index, options);
  const stays = kept === undefined ? 0 : prefixes.indexOf(kept) + 1;
  const [first, ...rest] = [...selection.whole.keys()].sort((a, b) => a - b);
  // The goal first, then what promises most, so that it can stay; the newest steps last.
  const leads = first === 0 ? [first] : [];
  const follows = first === 0 || first === undefined ? rest : [first, ...rest];
  return [
    ...shown.slice(0, stays),
    ...leads.map((at) => wholePart(at, thread)),
    ...excerptParts(thread.index, selection, { size: limit / parts }).map((chunks) =>
      excerptsPart(chunks, selection, thread),
    ),
    ...follows.map((at) => wholePart(at, thread)),
  ];
}

function prefixOf(shown: readonly Part[]): KeptContext {
  return {
    // Excerpts may stand anywhere here, and so may whole chunks.
    end: 0,
    whole: new Set(shown.flatMap(({ chunk }) => chunk ?? [])),
    texts: shown.flatMap(({ chunk, messages }) => (chunk === undefined ? messages.map(textOf) : [])),
    tokens: tokensOf(shown),
  };
}

function inOrder(selection: ContextSelection, thread: Thread): readonly Part[] {
  const { whole, excerpts } = selection;
  const order = [...whole.keys(), ...excerpts.keys()].sort((a, b) => a - b);
  return order.map((at) =>
    excerpts.has(at) ? excerptsPart([at], selection, thread) : wholePart(at, thread),
  );
}

function excerptsPart(chunks: readonly number[], { excerpts }: ContextSelection, { index }: Thread): Part {
  const messages = chunks.flatMap((at) => {
    const chunk = index.chunks[at];
    const text = chunk === undefined ? "" : renderExcerpt(chunk, excerpts.get(at) ?? [], `${at}-000000`);
    return text === "" ? [] : [new HumanMessage(text)];
  });
  return { messages, tokens: charsOverFour(messages) };
}

function wholePart(chunk: number, { log }: Thread): Part {
  const messages = log.chunks[chunk]?.messages ?? [];
  return { messages, tokens: charsOverFour(messages), chunk };
}

function tokensOf(shown: readonly Part[]): number {
  return shown.reduce((sum, { tokens }) => sum + tokens, 0);
}
