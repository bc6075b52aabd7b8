import type { BaseMessage } from "@langchain/core/messages";
import { withIds } from "@palimpsest/context";
import { nativeHead, nativeStart, readMessages } from "@palimpsest/context/internal";
import { agentRequest } from "../compaction/agent-request.js";
import type { Plan } from "../run/run-step.js";
import type { Step } from "../run/step.js";
import type { ThreadMemories } from "./memory/thread-memories.js";
import type { ResolvedPredictive } from "./predictive-options.js";
import { selectNext, type Selecting } from "./select-next.js";

/**
 * Returns the plan that selects the context for the next step, as `selectNext` does. A compaction by the provider and the
 * messages that it covers stay as they are; the selection is made from the messages after them.
 */
export function predictContext(memories: ThreadMemories): Plan<ResolvedPredictive> {
  return async function selectContext(step) {
    const { thread: given } = step.input;
    const context = step.nameMessages();
    if (agentRequest(context) !== undefined) refuseRequest(step);
    const thread = given === undefined ? undefined : withIds(await step.admit(given));
    const messages = thread ?? context;
    const selecting = { messages, currentContext: context, step, isRewrite: thread === undefined };
    const end = nativeHead(context);
    const head = context.slice(0, end);
    await selectNext(end === 0 ? selecting : behindHead(head, selecting), memories);
    return undefined;
  };
}

/** Tells the host that a call of `compress_context` changes nothing here: the tool does not know which node comes after it. */
function refuseRequest({ report }: Step<ResolvedPredictive>): void {
  const message =
    "The agent called compress_context, but a predicted context has nothing to compact: it is selected from the whole thread. " +
    "Leave the tool out of this agent's tools";
  const { threadId } = report;
  report.send({ type: "context.skip", due: "agent", reason: "nothing-to-fold", message, threadId });
}

/** Returns the selection of the messages after the provider's compaction that the context begins with. */
function behindHead(head: readonly BaseMessage[], selecting: Selecting): Selecting {
  const { messages, currentContext, step } = selecting;
  const { options, report } = step;
  return {
    ...selecting,
    head,
    budget: Math.max(1, options.budget - options.tokenCounter(readMessages(head))),
    messages: messages.slice(nativeHead(messages)),
    currentContext: currentContext.slice(head.length),
    memoryName: `${report.threadId} ${head[nativeStart(head)]?.id ?? ""}`,
  };
}
