import { RunnableLambda } from "@langchain/core/runnables";
import type { ContextEvent } from "../edge/context-event.js";
import { eventAttributes } from "./event-attributes.js";

/**
 * Returns a listener for `onEvent` that shows compactions in LangSmith, and wherever else the callbacks of the run report to:
 * each is a run below the one of its node, with the name and the tag of the event. Its metadata are the strategy, the reason, and
 * the messages and tokens before and after; tags are the strategy and the reason as well. An overflow and a failure are runs that
 * failed.
 */
export function runListener(): (event: ContextEvent) => Promise<void> {
  return async (event) => {
    const metadata = eventAttributes(event);
    if (metadata === undefined) return;
    const causes = event.type === "context.compaction" ? [event.strategy, event.reason] : [];
    const run = RunnableLambda.from(() => outcome(event, metadata));
    // The callbacks of the run under way are inherited. What has failed is in the run.
    await run
      .invoke({ thread: event.threadId }, { runName: event.type, tags: [event.type, ...causes], metadata })
      .catch(() => undefined);
  };
}

/** Throws for an event that says what went wrong. */
function outcome(event: ContextEvent, attributes: object): object {
  if (event.type === "context.overflow") throw new Error(event.message);
  if (event.type === "context.fail")
    throw event.error instanceof Error ? event.error : new Error(String(event.error));
  return attributes;
}
