import { RunnableLambda } from "@langchain/core/runnables";
import type { ContextEvent } from "../context-event.js";
import { eventAttributes } from "./event-attributes.js";

/**
 * Returns a listener for `onEvent` that reports compactions to LangSmith and to any other callbacks of the run. Each is a child
 * run of its node, with the name of the event. Metadata: the strategy, the reason, and the messages and tokens before and
 * after. Tags: the event, the strategy and the reason. An overflow and a failure are failed runs.
 */
export function runListener(): (event: ContextEvent) => Promise<void> {
  return async (event) => {
    const metadata = eventAttributes(event);
    if (metadata === undefined) return;
    const causes = event.type === "context.compaction" ? [event.strategy, event.reason] : [];
    const run = RunnableLambda.from(() => outcome(event, metadata));
    // Inherits the callbacks of the current run, and records a failure there.
    await run
      .invoke({ thread: event.threadId }, { runName: event.type, tags: [event.type, ...causes], metadata })
      .catch(() => undefined);
  };
}

/** Throws the error of an event that reports one. */
function outcome(event: ContextEvent, attributes: object): object {
  if (event.type === "context.overflow") throw new Error(event.message);
  if (event.type === "context.fail")
    throw event.error instanceof Error ? event.error : new Error(String(event.error));
  return attributes;
}
