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
    const record = recorders[event.type] as Recorder<ContextEvent> | undefined;
    record?.(event, metrics);
  };
}

type Recorder<Event> = (event: Event, metrics: Metrics) => void;

/** What is recorded of each event. */
const recorders: {
  readonly [Type in ContextEvent["type"]]?: Recorder<Extract<ContextEvent, { readonly type: Type }>>;
} = {
  "context.compaction": recordCompaction,
  "context.fold": ({ reason, fold }, { folds }) =>
    folds.add(1, { "compaction.reason": reason, "compaction.fold": fold.kind }),
  "context.skip": ({ due, reason }, { skips }) =>
    skips.add(1, { "compaction.reason": due, "skip.reason": reason }),
  "context.certificate": recordCertificate,
  "context.retry": ({ reason }, { retries }) => retries.add(1, { "retry.reason": reason }),
  "context.fail": ({ rung, next }, { failures }) =>
    failures.add(1, { "compaction.rung": rung, "compaction.next": next }),
  "context.overflow": ({ reason, tokens, window }, { overflows, fill }) => {
    overflows.add(1, { "compaction.reason": reason });
    fill.record(tokens / window, { "compaction.moment": "overflow" });
  },
  "context.summary": recordUsage,
};

type Metrics = ReturnType<typeof metricsOf>;

function metricsOf(meter: Meter) {
  return { ...countersOf(meter), ...histogramsOf(meter) };
}

function countersOf(meter: Meter) {
  return {
    compactions: meter.createCounter("palimpsest.compactions", {
      description: "Compactions that were applied.",
      unit: "{compaction}",
    }),
    folds: meter.createCounter("palimpsest.folds", {
      description: "Folds that were applied, by kind.",
      unit: "{fold}",
    }),
    facts: meter.createCounter("palimpsest.facts", {
      description: "Numbers, names, paths and rules of folded messages, by where they are after the fold.",
      unit: "{fact}",
    }),
    lost: meter.createCounter("palimpsest.lost", {
      description:
        "Those of them that are neither in the prompt nor in the archive. Always 0, unless there is a fault.",
      unit: "{fact}",
    }),
    retries: meter.createCounter("palimpsest.retries", {
      description: "Calls of the model that a provider refused or ended early, and that were made once more.",
      unit: "{call}",
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
  };
}

function histogramsOf(meter: Meter) {
  const tokens = { unit: "{token}", advice: { explicitBucketBoundaries: tokenBuckets } };
  return {
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

/** Adds zeros too: a series that is missing cannot be told from one that nobody reports. */
function recordCertificate(
  { certificate }: Extract<ContextEvent, { readonly type: "context.certificate" }>,
  metrics: Metrics,
): void {
  const { kept, retrievable, lost } = certificate;
  metrics.facts.add(kept, { "compaction.fate": "kept" });
  metrics.facts.add(retrievable, { "compaction.fate": "retrievable" });
  metrics.lost.add(lost.length);
}

function recordUsage(
  { usage }: Extract<ContextEvent, { readonly type: "context.summary" }>,
  metrics: Metrics,
): void {
  const operation = { "gen_ai.operation.name": "chat" };
  metrics.usage.record(usage.inputTokens, { ...operation, "gen_ai.token.type": "input" });
  metrics.usage.record(usage.outputTokens, { ...operation, "gen_ai.token.type": "output" });
}
