import {
  isCompactedEvent,
  LlmSummarizer,
  TokenBasedContextCompactor,
  type Event,
  type InvocationContext,
} from "@google/adk";
import { adkFormat } from "../formats/adk-events.js";
import { ScriptedLlm } from "../formats/adk-model.js";
import { Translator } from "../formats/translator.js";
import type { Start, TableSystem } from "../table-system.js";

/** A summary of all but the newest events. Both limits have no default: the first setting has those of the other systems. */
export const adkTokenBased: TableSystem = {
  name: "ADK token based",
  package: "@google/adk",
  reads: "prompt",
  settings: {
    "0.85, keep 20 events": compacting(0.85, 20),
    "0.85, keep 5 events": compacting(0.85, 5),
    "0.5, keep 20 events": compacting(0.5, 20),
    "0.5, keep 5 events": compacting(0.5, 5),
  },
};

function compacting(trigger: number, eventRetentionSize: number): Start {
  return (host) => {
    const translator = new Translator(adkFormat);
    const summarizer = new LlmSummarizer({ llm: new ScriptedLlm(host) });
    const tokenThreshold = trigger * host.window;
    const compactor = new TokenBasedContextCompactor({ tokenThreshold, eventRetentionSize, summarizer });
    const events: Event[] = [];
    const context = { session: { events }, agent: { name: "agent" } } as unknown as InvocationContext;
    let time = 0;
    return async (_, added) => {
      for (const event of translator.toTheirs(added)) {
        event.timestamp = ++time;
        events.push(event);
      }
      if (await compactor.shouldCompact(context)) await compactor.compact(context);
      const summary = events.findLast(isCompactedEvent);
      const end = summary?.endTime ?? 0;
      const after = events.filter((event) => !isCompactedEvent(event) && event.timestamp > end);
      return translator.toOurs(summary === undefined ? after : [summary, ...after]);
    };
  };
}
