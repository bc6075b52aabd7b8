import type { ContextEvent } from "../context-event.js";

type Attributes = Readonly<Record<string, string | number | boolean>>;
type Compaction = Extract<ContextEvent, { readonly type: "context.compaction" }>;

/**
 * Returns the attributes of an event in a trace; undefined for an event that traces do not show. Names begin with `gen_ai.` if
 * the GenAI conventions define them. Tokens are those of the whole prompt. Pure.
 */
export function eventAttributes(event: ContextEvent): Attributes | undefined {
  const thread = { "gen_ai.conversation.id": event.threadId };
  switch (event.type) {
    case "context.compaction":
      return { ...thread, ...compactionAttributes(event) };
    case "context.unfold":
      return { ...thread, ...tokensOf(event) };
    case "context.overflow": {
      const { tokensBefore, tokens: tokensAfter, window } = event;
      return { ...thread, ...tokensOf({ tokensBefore, tokensAfter }), "context.window": window };
    }
    case "context.fail":
      return { ...thread, "compaction.rung": event.rung, "compaction.next": event.next };
    default:
      return undefined;
  }
}

function compactionAttributes(event: Compaction): Attributes {
  const { reason, strategy, usage, bill } = event;
  return {
    "gen_ai.conversation.compacted": true,
    "compaction.strategy": strategy,
    "compaction.reason": reason,
    "compaction.messages.before": event.messagesBefore,
    "compaction.messages.after": event.messagesAfter,
    ...tokensOf(event),
    "context.window": event.window,
    ...(usage === undefined
      ? {}
      : {
          "gen_ai.usage.input_tokens": usage.inputTokens,
          "gen_ai.usage.output_tokens": usage.outputTokens,
          "gen_ai.usage.cache_read.input_tokens": usage.cachedTokens,
        }),
    ...(bill === undefined
      ? {}
      : { "compaction.cost": bill.cost, "compaction.saving_per_step": bill.savingPerStep }),
  };
}

function tokensOf({
  tokensBefore,
  tokensAfter,
}: Pick<Compaction, "tokensBefore" | "tokensAfter">): Attributes {
  return { "compaction.tokens.before": tokensBefore, "compaction.tokens.after": tokensAfter };
}
