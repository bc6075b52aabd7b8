import { isGraphBubbleUp } from "@langchain/langgraph";
import type { BaseMessage } from "@langchain/core/messages";
import { withIds, type Rewrite } from "@palimpsest/context";
import { commit } from "../compaction/commit.js";
import { reporter } from "../compaction/reporter.js";
import type { CompactionReason } from "../context-event.js";
import type { NodeConfig } from "../node-config.js";
import { messagesOf, messagesUpdate, type NodeState } from "../node-state.js";
import type { ResolvedOptions } from "../resolve-options.js";
import { threadIdOf } from "../thread-id.js";
import type { GraphNode } from "./compaction-node.js";

/** A rung on its own: what it would change, and why it runs. Undefined when it has nothing to do. */
export type PassOfState = (
  messages: readonly BaseMessage[],
  step: { readonly state: NodeState; readonly config: NodeConfig | undefined },
) => { readonly rewrite: Rewrite; readonly reason: CompactionReason } | undefined;

/** Returns a node that archives what one pass replaces and then applies it; a failure leaves the messages alone. */
export function passNode(options: ResolvedOptions, pass: PassOfState): GraphNode {
  return async function runPass(state, config) {
    const messages = messagesOf(state, options);
    const threadId = threadIdOf(config, messages);
    const report = reporter(options, config, threadId ?? "");
    const whole = options.outputKey === options.inputKey ? {} : messagesUpdate(messages, options);
    if (threadId === undefined) return whole;
    try {
      const due = pass(withIds(messages), { state, config });
      if (due === undefined || due.rewrite.folds.length === 0) return whole;
      await commit(due.rewrite, options.files.thread(threadId));
      report.folds(due.rewrite.folds, due.reason);
      return messagesUpdate(due.rewrite.messages, options);
    } catch (error) {
      if (isGraphBubbleUp(error) || options.onError === "throw") throw error;
      report.fail("archive", error);
      return whole;
    }
  };
}
