import { metrics, SpanStatusCode, trace, type Meter, type Tracer } from "@opentelemetry/api";
import type { ContextEvent } from "../context-event.js";
import { eventAttributes } from "./event-attributes.js";
import { eventRecorder } from "./event-recorder.js";
import { errorType } from "./log-record.js";

export interface TelemetryOptions {
  /** @default the tracer "@palimpsest/langgraph" of the global provider */
  readonly tracer?: Tracer;
  /** @default the meter "@palimpsest/langgraph" of the global provider */
  readonly meter?: Meter;
  /**
   * Adds the message and the stack of an error to its span. Providers and tools quote in it what they were sent. @default false: only
   * its class and its code
   */
  readonly errorMessages?: boolean;
}

const name = "@palimpsest/langgraph";

/**
 * Returns a listener for `onEvent` that turns context events into OpenTelemetry spans and metrics. A span has no duration: it
 * marks a moment in the active trace. Names of attributes begin with `gen_ai.` if the GenAI conventions define them. Only spans
 * have the thread id, because every value of a metric attribute makes a new time series. Neither holds what a user, a model or a tool
 * has said.
 */
export function telemetryListener({
  tracer = trace.getTracer(name),
  meter = metrics.getMeter(name),
  errorMessages = false,
}: TelemetryOptions = {}): (event: ContextEvent) => void {
  const record = eventRecorder(meter);
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
      if (errorMessages) span.recordException(asException(event.error));
      span.setAttribute("error.type", errorType(event.error));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  };
}

function asException(error: unknown): Error | string {
  return error instanceof Error ? error : String(error);
}
