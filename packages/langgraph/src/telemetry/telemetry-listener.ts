import { metrics, SpanStatusCode, trace, type Meter, type Tracer } from "@opentelemetry/api";
import type { ContextEvent } from "../context-event.js";
import { eventAttributes } from "./event-attributes.js";

export interface TelemetryOptions {
  /** @default the tracer "@palimpsest/langgraph" of the global provider */
  readonly tracer?: Tracer;
  /** @default the meter "@palimpsest/langgraph" of the global provider */
  readonly meter?: Meter;
}

const name = "@palimpsest/langgraph";

/** Bucket boundaries for tokens in the GenAI conventions. */
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power);

/**
 * Returns a listener for `onEvent` that turns context events into OpenTelemetry spans and metrics. A span has no duration: it
 * marks a moment in the active trace. Names of attributes begin with `gen_ai.` if the GenAI conventions define them. Only spans
 * have the thread id, because every value of a metric attribute makes a new time series.
 */
export function telemetryListener({
  tracer = trace.getTracer(name),
  meter = metrics.getMeter(name),
}: TelemetryOptions = {}): (event: ContextEvent) => void {
  const record = recorder(meter);
  return (event) => {
    record(event);
    const attributes = eventAttributes(event);
    if (attributes === undefined) return;
    if (event.type === "context.compaction")
      trace.getActiveSpan()?.setAttribute("gen_ai.conversation.compacted", true);
    const span = tracer.startSpan(event.type, { attributes: { ...attributes } });
    if (event.type === "context.overflow")
      span.setStatus({ code: SpanStatusCode.ERROR, message: event.message });
    if (event.type === "context.fail") {
      span.recordException(event.error instanceof Error ? event.error : String(event.error));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  };
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
