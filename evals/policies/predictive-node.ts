import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import { predictiveContextNode } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { charsOverFour } from "../data/text-of.js";
import type { Policy } from "./policy.js";

const config = { configurable: { thread_id: "thread" } };

/**
 * Returns the real predictive node over a thread of its own: with heads, archive paths, previews and a legal order of
 * messages, all of them within the budget.
 *
 * @param targetFraction share of the budget to which it selects; the node's own default without it
 * @param policy how it selects
 * @param every steps between two selections
 */
export function predictiveNode(
  targetFraction?: number,
  policy: "reuse" | "pace" = "reuse",
  every?: number,
): Policy {
  const how = [
    ...(policy === "pace" ? ["PACE"] : []),
    ...(targetFraction === undefined ? [] : [`targetFraction ${targetFraction}`]),
    ...(every === undefined ? [] : [`every ${every}`]),
  ];
  return {
    name: ["predictive node", ...how].join(", "),
    start({ budget }) {
      const files = VirtualFilesystem.inMemory();
      const chosen = targetFraction === undefined ? {} : { targetFraction };
      const node = predictiveContextNode({
        files,
        budget,
        policy,
        tokenCounter: charsOverFour,
        onError: "throw",
        ...chosen,
        ...(every === undefined ? {} : { every }),
      });
      let context: readonly BaseMessage[] = [];
      return {
        async context(added) {
          const before = [...context, ...added];
          const { messages } = await node({ messages: before }, config);
          context = Overwrite.isInstance<readonly BaseMessage[]>(messages) ? messages.value : before;
          return context;
        },
      };
    },
  };
}
