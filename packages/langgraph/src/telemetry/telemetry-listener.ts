import {
  metrics,
  SpanStatusCode,
  trace,
  type Attributes,
  type Meter,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import type { ContextEvent } from "../edge/context-event.js";

export interface TelemetryOptions {
  /** @default the tracer "@palimpsest/langgraph" of the global provider */
  readonly tracer?: Tracer;
  /** @default the meter "@palimpsest/langgraph" of the global provider */
  readonly meter?: Meter;
}

type EventOf<Type extends ContextEvent["type"]> = Extract<ContextEvent, { readonly type: Type }>;

const name = "@palimpsest/langgraph";

/** The bucket boundaries of the GenAI conventions for tokens. */
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power);

/**
 * Returns a listener for `onEvent` that turns context events into spans and metrics of OpenTelemetry. A span has no duration: it
 * marks the moment in the trace that is active. The names of attributes begin with `gen_ai.` where the GenAI conventions have one.
 * The thread id is on spans only, because every value of a metric's attribute is a time series of its own.
 */
export function telemetryListener({
  tracer = trace.getTracer(name),
  meter = metrics.getMeter(name),
}: TelemetryOptions = {}): (event: ContextEvent) => void {
  const record = recorder(meter);
  return (event) => {
    record(event);
    if (event.type === "context.compaction") {
      trace.getActiveSpan()?.setAttribute("gen_ai.conversation.compacted", true);
      mark(tracer, event, compactionAttributes(event)).end();
    } else if (event.type === "context.unfold") {
      mark(tracer, event, tokensOf(event)).end();
    } else if (event.type === "context.overflow") {
      const tokens = { ...tokensOf({ tokensBefore: event.tokensBefore, tokensAfter: event.tokens }) };
      const span = mark(tracer, event, { ...tokens, "context.window": event.window });
      span.setStatus({ code: SpanStatusCode.ERROR, message: event.message }).end();
    } else if (event.type === "context.fail") {
      const span = mark(tracer, event, { "compaction.rung": event.rung, "compaction.next": event.next });
      span.recordException(event.error instanceof Error ? event.error : String(event.error));
      span.setStatus({ code: SpanStatusCode.ERROR }).end();
    }
  };
}

/** Starts a span with the name of the event. */
function mark(tracer: Tracer, { type, threadId }: ContextEvent, attributes: Attributes): Span {
  return tracer.startSpan(type, { attributes: { "gen_ai.conversation.id": threadId, ...attributes } });
}

function compactionAttributes(event: EventOf<"context.compaction">): Attributes {
  const { reason, strategy, usage, bill } = event;
  return {
    "gen_ai.conversation.compacted": true,
    "compaction.strategy": strategy,
    "compaction.reason": reason,
    "compaction.messages.before": event.messagesBefore,
    "compaction.messages.after": event.messagesAfter,
    ...tokensOf(event),
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
}: Pick<EventOf<"context.compaction">, "tokensBefore" | "tokensAfter">): Attributes {
  return { "compaction.tokens.before": tokensBefore, "compaction.tokens.after": tokensAfter };
}

/** Returns a function that records the metrics of an event. */
function recorder(meter: Meter): (event: ContextEvent) => void {
  const compactions = meter.createCounter("palimpsest.compactions", {
    description: "Compactions that were applied.",
    unit: "{compaction}",
  });
  const freed = meter.createHistogram("palimpsest.compaction.tokens.freed", {
    description: "Tokens by which a compaction shortened the prompt.",
    unit: "{token}",
    advice: { explicitBucketBoundaries: tokenBuckets },
  });
  const cost = meter.createHistogram("palimpsest.compaction.cost", {
    description: "Net cost of a compaction in the currency of the planner's prices.",
  });
  const failures = meter.createCounter("palimpsest.failures", {
    description: "Parts of a compaction that failed, after which a fallback was taken.",
    unit: "{failure}",
  });
  const overflows = meter.createCounter("palimpsest.overflows", {
    description: "Prompts that are larger than the window and cannot be shortened further.",
    unit: "{prompt}",
  });
  const usage = meter.createHistogram("gen_ai.client.token.usage", {
    description: "Number of input and output tokens used.",
    unit: "{token}",
    advice: { explicitBucketBoundaries: tokenBuckets },
  });
  return (event) => {
    if (event.type === "context.compaction") {
      const attributes = { "compaction.reason": event.reason, "compaction.strategy": event.strategy };
      compactions.add(1, attributes);
      freed.record(Math.max(0, event.tokensBefore - event.tokensAfter), attributes);
      if (event.bill !== undefined) cost.record(event.bill.cost, attributes);
    } else if (event.type === "context.fail") {
      failures.add(1, { "compaction.rung": event.rung, "compaction.next": event.next });
    } else if (event.type === "context.overflow") {
      overflows.add(1, { "compaction.reason": event.reason });
    } else if (event.type === "context.summary") {
      const operation = { "gen_ai.operation.name": "chat" };
      usage.record(event.usage.inputTokens, { ...operation, "gen_ai.token.type": "input" });
      usage.record(event.usage.outputTokens, { ...operation, "gen_ai.token.type": "output" });
    }
  };
}
