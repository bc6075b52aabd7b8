import { pruneMessages } from "ai";
import { aiFormat } from "../formats/ai-messages.js";
import { Translator } from "../formats/translator.js";
import type { Start, TableSystem } from "../table-system.js";

/**
 * `pruneMessages` of the AI SDK before every call. It knows no window, and without an option it prunes nothing: the first
 * setting is the one of its documentation.
 */
export const aiPruneMessages: TableSystem = {
  name: "AI SDK pruneMessages",
  package: "ai",
  reads: "thread",
  settings: {
    "tools before the last 2 messages": before(2),
    "tools before the last 10 messages": before(10),
    "tools before the last 20 messages": before(20),
    "tools before the last 40 messages": before(40),
  },
};

function before(kept: number): Start {
  return () => {
    const translator = new Translator(aiFormat);
    const thread = [...translator.toTheirs([])];
    return (_, added) => {
      thread.push(...translator.toTheirs(added));
      return translator.toOurs(
        pruneMessages({
          messages: thread,
          reasoning: "before-last-message",
          toolCalls: `before-last-${kept}-messages`,
          emptyMessages: "remove",
        }),
      );
    };
  };
}
