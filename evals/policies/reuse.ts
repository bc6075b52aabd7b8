import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  renderExcerpt,
  ReuseIndex,
  selectContext,
  type ContextSelection,
  type ReuseWeights,
} from "@palimpsest/context";
import type { Chunk } from "../data/chunks.js";
import { charsOverFour } from "../data/text-of.js";
import { ChunkLog } from "./chunk-log.js";
import type { Policy } from "./policy.js";

export interface ReusePolicyOptions {
  /** Share of the budget down to which it selects, to keep the selection until the budget is full. @default anew at each step */
  readonly sticky?: number;
  /** @default reuseWeights */
  readonly weights?: ReuseWeights;
}

/** Returns reuse coverage: the lines that the next call will most probably use, under the budget. */
export function reuse({ sticky, weights }: ReusePolicyOptions = {}): Policy {
  return {
    name: sticky === undefined ? "reuse coverage" : `reuse coverage, sticky ${sticky}`,
    start({ budget }) {
      const log = new ChunkLog();
      const index = new ReuseIndex();
      let shown: readonly BaseMessage[] | undefined;
      return {
        async context(added) {
          const chunks = log.add(added);
          for (const { messages } of chunks) index.append(messages);
          const longer = [...(shown ?? []), ...added];
          if (sticky !== undefined && shown !== undefined && charsOverFour(longer) <= budget)
            return (shown = longer);
          const selection = selectContext(index, {
            budget: budget * (sticky ?? 1),
            ...(weights === undefined ? {} : { weights }),
          });
          shown = messagesOf(selection, { index, chunks: log.chunks });
          return shown;
        },
      };
    },
  };
}

interface Shown {
  readonly index: ReuseIndex;
  readonly chunks: readonly Chunk[];
}

function messagesOf({ whole, excerpts }: ContextSelection, { index, chunks }: Shown): readonly BaseMessage[] {
  const order = [...whole.keys(), ...excerpts.keys()].sort((a, b) => a - b);
  return order.flatMap((at) => {
    const blocks = excerpts.get(at);
    const chunk = index.chunks[at];
    if (blocks === undefined || chunk === undefined) return chunks[at]?.messages ?? [];
    return [new HumanMessage(renderExcerpt(chunk, blocks, `${at}-000000`))];
  });
}
