import { SpanStatusCode } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { compacted } from "../testing/compacted.js";
import { telemetryListener } from "./telemetry-listener.js";

/** A listener with the real SDK, and what it has exported. */
function telemetry() {
  const spans = new InMemorySpanExporter();
  const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  return {
    onEvent: telemetryListener({ tracer: tracers.getTracer("test"), meter: meters.getMeter("test") }),
    spans: () => spans.getFinishedSpans(),
    points: async (name: string) => {
      exporter.reset();
      await meters.forceFlush();
      const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
      return all
        .flatMap(({ metrics }) => metrics)
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }) => dataPoints.map(({ attributes, value }) => ({ attributes, value })));
    },
  };
}

describe("a telemetry listener", () => {
  it("marks a compaction in the trace, with its strategy, messages and tokens", async () => {
    const { onEvent, spans } = telemetry();
    const events: ContextEvent[] = [];
    await compacted((event) => {
      events.push(event);
      onEvent(event);
    });
    const compactions = events.filter((event) => event.type === "context.compaction");
    expect(compactions).toHaveLength(1);
    const marked = spans().filter(({ name }) => name === "context.compaction");
    expect(marked.map(({ attributes }) => attributes)).toEqual([
      expect.objectContaining({
        "gen_ai.conversation.id": "reader",
        "gen_ai.conversation.compacted": true,
        "compaction.strategy": compactions[0]?.strategy,
        "compaction.reason": "trigger",
        "compaction.messages.before": 48,
        "compaction.messages.after": compactions[0]?.messagesAfter,
        "compaction.tokens.before": compactions[0]?.tokensBefore,
        "compaction.tokens.after": compactions[0]?.tokensAfter,
        "context.window": compactions[0]?.window,
      }),
    ]);
  });

  it("counts compactions, the tokens they freed and the tokens of summaries, without the id of a thread", async () => {
    const { onEvent, points } = telemetry();
    const events: ContextEvent[] = [];
    await compacted((event) => {
      events.push(event);
      onEvent(event);
    });
    const event = events.find(({ type }) => type === "context.compaction");
    const { tokensBefore, tokensAfter, strategy } = event as Extract<
      ContextEvent,
      { readonly type: "context.compaction" }
    >;
    const attributes = { "compaction.reason": "trigger", "compaction.strategy": strategy };
    expect(await points("palimpsest.compactions")).toEqual([{ attributes, value: 1 }]);
    expect(await points("palimpsest.compaction.tokens.freed")).toContainEqual({
      attributes,
      value: expect.objectContaining({ count: 1, sum: tokensBefore - tokensAfter }),
    });
    const usage = await points("gen_ai.client.token.usage");
    expect(new Set(usage.map(({ attributes: of }) => of["gen_ai.token.type"]))).toEqual(
      new Set(events.some(({ type }) => type === "context.summary") ? ["input", "output"] : []),
    );
  });

  it("adds the cost if a planner knows the prices", async () => {
    const { onEvent, spans, points } = telemetry();
    const bill = { rewrittenTokens: 10, savedTokens: 90, summaryCost: 0.1, cost: 0.25, savingPerStep: 0.05 };
    const tokens = { tokensBefore: 100, tokensAfter: 10, window: 200, messagesBefore: 9, messagesAfter: 2 };
    const usage = { calls: 1, reportedCalls: 1, inputTokens: 80, outputTokens: 8, cachedTokens: 40 };
    onEvent({
      type: "context.compaction",
      reason: "planned",
      strategy: "summarize",
      ...tokens,
      bill,
      usage,
      threadId: "a",
    });
    expect(spans()[0]?.attributes).toMatchObject({
      "compaction.cost": 0.25,
      "compaction.saving_per_step": 0.05,
      "gen_ai.usage.input_tokens": 80,
      "gen_ai.usage.output_tokens": 8,
    });
    expect(await points("palimpsest.compaction.cost")).toMatchObject([{ value: { sum: 0.25 } }]);
  });

  it("marks what failed and what does not fit as errors", async () => {
    const { onEvent, spans, points } = telemetry();
    const error = new Error("the disk is full");
    onEvent({ type: "context.fail", rung: "archive", error, next: "none", threadId: "a" });
    onEvent({
      type: "context.overflow",
      reason: "trigger",
      tokensBefore: 900,
      tokens: 800,
      window: 500,
      parts: [],
      message: "The prompt has 800 tokens.",
      threadId: "a",
    });
    const [failed, overflow] = spans();
    expect(failed?.status.code).toBe(SpanStatusCode.ERROR);
    expect(failed?.attributes["error.type"]).toBe("Error");
    expect(failed?.events).toEqual([]);
    expect(overflow?.status).toEqual({ code: SpanStatusCode.ERROR, message: "The prompt has 800 tokens." });
    expect(overflow?.attributes).toMatchObject({ "compaction.tokens.after": 800, "context.window": 500 });
    expect(await points("palimpsest.failures")).toMatchObject([{ value: 1 }]);
    expect(await points("palimpsest.overflows")).toMatchObject([{ value: 1 }]);
  });

  it("counts folds by kind, and says how full the window was before and after", async () => {
    const { onEvent, points } = telemetry();
    const events: ContextEvent[] = [];
    await compacted((event) => {
      events.push(event);
      onEvent(event);
    });
    const kinds = events.flatMap((event) => (event.type === "context.fold" ? [event.fold.kind] : []));
    const counted = (await points("palimpsest.folds")).map(({ attributes, value }) => [
      attributes["compaction.fold"],
      value,
    ]);
    const expected = [...new Set(kinds)].map((kind) => [kind, kinds.filter((one) => one === kind).length]);
    expect(expected.length).toBeGreaterThan(0);
    expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(expected));
    const compaction = events.find((event) => event.type === "context.compaction");
    const fills = Object.fromEntries(
      (await points("palimpsest.window.fill")).map(({ attributes, value }) => [
        attributes["compaction.moment"],
        (value as { sum: number }).sum,
      ]),
    );
    const { tokensBefore = NaN, tokensAfter = NaN, window = NaN } = compaction ?? {};
    expect(fills).toEqual({ before: tokensBefore / window, after: tokensAfter / window });
    expect(fills["before"]).toBeGreaterThan(0.5);
  });

  it("counts the facts of folded messages, and 0 that are lost", async () => {
    const { onEvent, points } = telemetry();
    const certificates: { readonly kept: number; readonly retrievable: number }[] = [];
    await compacted((event) => {
      if (event.type === "context.certificate") certificates.push(event.certificate);
      onEvent(event);
    });
    expect(certificates).toHaveLength(1);
    expect(await points("palimpsest.lost")).toEqual([{ attributes: {}, value: 0 }]);
    const counted = (await points("palimpsest.facts")).map(({ attributes, value }) => [
      attributes["compaction.fate"],
      value,
    ]);
    expect([Object.fromEntries(counted)]).toEqual(
      certificates.map(({ kept, retrievable }) => ({ kept, retrievable })),
    );
  });

  it("counts what a certificate reports as lost", async () => {
    const { onEvent, points } = telemetry();
    const certificate = {
      fold: "f",
      path: "/context/certificates/1.md",
      originals: "/context/history/1.md",
      atoms: 3,
      kept: 1,
      retrievable: 0,
      lost: [
        { kind: "number", text: "48151" },
        { kind: "number", text: "62342" },
      ],
      excerpts: 0,
      kinds: {},
    } as const;
    onEvent({ type: "context.certificate", certificate, reason: "trigger", threadId: "a" });
    expect(await points("palimpsest.lost")).toEqual([{ attributes: {}, value: 2 }]);
  });

  it("counts calls that were refused and made once more", async () => {
    const { onEvent, points } = telemetry();
    const reason = "reasoning-refused";
    onEvent({ type: "context.retry", reason, message: "refused", messages: ["a"], threadId: "a" });
    expect(await points("palimpsest.retries")).toEqual([
      { attributes: { "retry.reason": reason }, value: 1 },
    ]);
  });

  it("shows the message of an error only where it is told to", () => {
    const error = new Error("the disk is full");
    const spansWith = (errorMessages: boolean) => {
      const spans = new InMemorySpanExporter();
      const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
      const onEvent = telemetryListener({ tracer: tracers.getTracer("test"), errorMessages });
      onEvent({ type: "context.fail", rung: "archive", error, next: "none", threadId: "a" });
      return spans.getFinishedSpans().flatMap(({ events }) => events.map(({ attributes }) => attributes));
    };
    expect(spansWith(false)).toEqual([]);
    expect(spansWith(true)).toMatchObject([{ "exception.message": "the disk is full" }]);
  });

  it("counts what was due and was not applied", async () => {
    const { onEvent, points } = telemetry();
    const message = "Nothing can be folded";
    onEvent({ type: "context.skip", due: "agent", reason: "floor", message, threadId: "a" });
    onEvent({ type: "context.skip", due: "agent", reason: "floor", message, threadId: "b" });
    const attributes = { "compaction.reason": "agent", "skip.reason": "floor" };
    expect(await points("palimpsest.skips")).toEqual([{ attributes, value: 2 }]);
  });

  it("records nothing and does not fail without an installed SDK", () => {
    const onEvent = telemetryListener();
    expect(() =>
      onEvent({ type: "context.fail", rung: "summary", error: "down", next: "trim", threadId: "a" }),
    ).not.toThrow();
  });
});
