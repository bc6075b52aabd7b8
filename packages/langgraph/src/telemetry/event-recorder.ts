import type { Meter } from "@opentelemetry/api";
import type { ContextEvent } from "../context-event.js";

/** Bucket boundaries for tokens in the GenAI conventions. */
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power);
/** Bucket boundaries for shares of the window. */
const shareBuckets = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1];

/**
 * Returns a function that records the metrics of an event. No attribute has the id of a thread or text of its messages: the
 * values of each are few and known.
 */
export function eventRecorder(meter: Meter): (event: ContextEvent) => void {
  const metrics = metricsOf(meter);
  return (event) => {
    switch (event.type) {
      case "context.compaction":
        recordCompaction(event, metrics);
        break;
      case "context.fold":
        metrics.folds.add(1, { "compaction.reason": event.reason, "compaction.fold": event.fold.kind });
        break;
      case "context.skip":
        metrics.skips.add(1, { "compaction.reason": event.reason, "compaction.because": event.because });
        break;
      case "context.fail":
        metrics.failures.add(1, { "compaction.rung": event.rung, "compaction.next": event.next });
        break;
      case "context.overflow":
        metrics.overflows.add(1, { "compaction.reason": event.reason });
        metrics.fill.record(event.tokens / event.window, { "compaction.moment": "overflow" });
        break;
      case "context.summary":
        recordUsage(event.usage, metrics);
        break;
      default:
    }
  };
}

type Metrics = ReturnType<typeof metricsOf>;

function metricsOf(meter: Meter) {
  const tokens = { unit: "{token}", advice: { explicitBucketBoundaries: tokenBuckets } };
  return {
    compactions: meter.createCounter("palimpsest.compactions", {
      description: "Compactions that were applied.",
      unit: "{compaction}",
    }),
    freed: meter.createHistogram("palimpsest.compaction.tokens.freed", {
      description: "Tokens by which a compaction shortened the prompt.",
      ...tokens,
    }),
    cost: meter.createHistogram("palimpsest.compaction.cost", {
      description: "Net cost of a compaction in the currency of the planner's prices.",
    }),
    fill: meter.createHistogram("palimpsest.window.fill", {
      description:
        "Share of the window that the prompt takes before and after a compaction, and in an overflow.",
      unit: "1",
      advice: { explicitBucketBoundaries: shareBuckets },
    }),
    folds: meter.createCounter("palimpsest.folds", {
      description: "Folds that were applied, by kind.",
      unit: "{fold}",
    }),
    skips: meter.createCounter("palimpsest.skips", {
      description: "Compactions that were due and were not applied, and refused directives.",
      unit: "{compaction}",
    }),
    failures: meter.createCounter("palimpsest.failures", {
      description: "Parts of a compaction that failed, after which a fallback was taken.",
      unit: "{failure}",
    }),
    overflows: meter.createCounter("palimpsest.overflows", {
      description: "Prompts that are larger than the window and cannot be shortened further.",
      unit: "{prompt}",
    }),
    usage: meter.createHistogram("gen_ai.client.token.usage", {
      description: "Number of input and output tokens used.",
      ...tokens,
    }),
  };
}

function recordCompaction(
  event: Extract<ContextEvent, { readonly type: "context.compaction" }>,
  { compactions, freed, cost, fill }: Metrics,
): void {
  const { reason, strategy, tokensBefore, tokensAfter, window, bill } = event;
  const attributes = { "compaction.reason": reason, "compaction.strategy": strategy };
  compactions.add(1, attributes);
  freed.record(Math.max(0, tokensBefore - tokensAfter), attributes);
  fill.record(tokensBefore / window, { "compaction.moment": "before" });
  fill.record(tokensAfter / window, { "compaction.moment": "after" });
  if (bill !== undefined) cost.record(bill.cost, attributes);
}

function recordUsage(
  usage: Extract<ContextEvent, { readonly type: "context.summary" }>["usage"],
  metrics: Metrics,
): void {
  const operation = { "gen_ai.operation.name": "chat" };
  metrics.usage.record(usage.inputTokens, { ...operation, "gen_ai.token.type": "input" });
  metrics.usage.record(usage.outputTokens, { ...operation, "gen_ai.token.type": "output" });
}
