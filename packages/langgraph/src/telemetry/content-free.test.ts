import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
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
import { MemoryDriver, VirtualFilesystem } from "@palimpsest/vfs";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { requestArtifact } from "../compaction/agent-request.js";
import type { ContextEvent } from "../context-event.js";
import { compactionNode } from "../nodes/compaction-node.js";
import type { ContextOptions } from "../options/context-options.js";
import { playFolding } from "../testing/play-folding.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { errorType, logRecord } from "./log-record.js";
import { telemetryListener } from "./telemetry-listener.js";

/** Stands in every message, argument, result, summary and error below, and nowhere else. */
const marker = "sk-live-4815162342";

class QuotingError extends Error {
  override readonly name = "QuotingError";
  readonly code = "refused";
}

/** Fails as a provider does that quotes what it was sent. */
function fail(): never {
  throw new QuotingError(`cannot take "${marker}"`);
}

class RefusingDriver extends MemoryDriver {
  override async write(...args: Parameters<MemoryDriver["write"]>): Promise<boolean> {
    return args[0].includes("/context/") ? fail() : super.write(...args);
  }
}

function turns(count: number): readonly BaseMessage[] {
  return Array.from({ length: count }, (_, turn) => [
    new HumanMessage({ id: `h${turn}`, content: `Never publish ${marker} of page ${turn}.` }),
    new AIMessage({
      id: `a${turn}`,
      content: `I look for ${marker}.`,
      tool_calls: [{ id: `c${turn}`, name: "read_file", args: { path: `/${marker}/${turn}.md` } }],
    }),
    new ToolMessage({
      id: `t${turn}`,
      tool_call_id: `c${turn}`,
      name: "read_file",
      content: `${marker} in line of ${turn}\n`.repeat(120),
    }),
    new AIMessage({ id: `b${turn}`, content: `Page ${turn} says ${marker}.` }),
  ]).flat();
}

/** The agent asks for a compaction, and says why. */
const request = [
  new AIMessage({
    id: "ask",
    content: "",
    tool_calls: [{ id: "call", name: "compress_context", args: { reason: `done with ${marker}` } }],
  }),
  new ToolMessage({
    id: "asked",
    tool_call_id: "call",
    name: "compress_context",
    content: "noted",
    artifact: requestArtifact({
      strategy: "summarize",
      preserveMarkers: true,
      reason: `done with ${marker}`,
    }),
  }),
];

const summary = new ScriptedModel(() => new AIMessage(`## Goal\nRead all pages of ${marker}.`));

/** Runs of which each sends other events. */
const runs: Readonly<Record<string, (onEvent: (event: ContextEvent) => void) => Promise<unknown>>> = {
  "a summary": async (onEvent) => compacted({ model: summary, onEvent }),
  "a model that fails": async (onEvent) => compacted({ model: new ScriptedModel(fail), onEvent }),
  "an archive that fails": async (onEvent) =>
    compacted({ model: summary, onEvent, files: new VirtualFilesystem({ driver: new RefusingDriver() }) }),
  "a pinned thread over the window": async (onEvent) => compacted({ onEvent, pin: () => true }),
  "pinned files": async (onEvent) =>
    compacted({ onEvent, pinFiles: ["**"], limits: { pinnedFiles: 100 }, keep: { messages: 2 } }),
  "an agent that asks": async (onEvent) =>
    compacted({ onEvent, model: summary, agentControlled: true }, request),
  "a refused directive": async (onEvent) => {
    const { events } = await playFolding({
      steps: 8,
      result: () => `${marker}\n`.repeat(80),
      say: () => `<context>{"range":["${marker}"],"summary":"${marker}"}</context>`,
    });
    events.forEach(onEvent);
  },
};

async function compacted(options: Partial<ContextOptions>, more: readonly BaseMessage[] = []) {
  const node = compactionNode({
    files: VirtualFilesystem.inMemory(),
    contextWindow: 4_000,
    keep: { messages: 4 },
    ...options,
  });
  await node({ messages: [...turns(12), ...more] }, { configurable: { thread_id: "reader" } });
}

const printed: unknown[] = [];
beforeEach(() => {
  printed.length = 0;
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((text) => printed.push(text) > 0);
  for (const method of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, method).mockImplementation((...args) => void printed.push(args));
});
afterEach(() => vi.restoreAllMocks());

it.each(Object.entries(runs))(
  "log records, spans, metrics and what is printed hold nothing that was said: %s",
  async (_, run) => {
    const spans = new InMemorySpanExporter();
    const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const meters = new MeterProvider({ readers: [reader] });
    const listen = telemetryListener({ tracer: tracers.getTracer("t"), meter: meters.getMeter("t") });
    const events: ContextEvent[] = [];
    await run((event) => {
      events.push(event);
      listen(event);
    });
    await meters.forceFlush();
    const finished = spans
      .getFinishedSpans()
      .map(({ name, attributes, status, events: moments }) => ({ name, attributes, status, moments }));
    const points = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics);
    const records = events.map(logRecord);

    expect(events.length).toBeGreaterThan(0);
    expect(points.length).toBeGreaterThan(0);
    expect(records.every((record) => record["type"] !== undefined && record["threadId"] !== undefined)).toBe(
      true,
    );
    expect(JSON.stringify(records)).not.toContain(marker);
    expect(JSON.stringify(finished)).not.toContain(marker);
    expect(JSON.stringify(points)).not.toContain(marker);
    expect(JSON.stringify(printed)).not.toContain(marker);
  },
);

/** Names of the events with what was said somewhere in them, and of the field that has it. */
async function fieldsWithContent(): Promise<ReadonlySet<string>> {
  const fields = new Set<string>();
  const note = (event: ContextEvent): void => {
    for (const [name, value] of Object.entries(event)) {
      const text = value instanceof Error ? value.message : JSON.stringify(value);
      if (text.includes(marker)) fields.add(`${event.type} ${name}`);
    }
  };
  for (const run of Object.values(runs)) await run(note);
  return fields;
}

it("only the documented fields of events hold what was said", async () => {
  expect([...(await fieldsWithContent())].toSorted()).toEqual([
    "context.compaction agentReason",
    "context.fail error",
    "context.fold fold",
    "context.pins leftOut",
  ]);
});

it("a log record says what an operator needs of a failure and of a fold", async () => {
  const events: ContextEvent[] = [];
  await runs["a summary"]?.((event) => events.push(event));
  const fold = events.find((event) => event.type === "context.fold" && event.fold.kind === "summary");
  expect(logRecord(fold as ContextEvent)).toMatchObject({
    type: "context.fold",
    threadId: "reader",
    reason: "trigger",
    "fold.kind": "summary",
    "fold.tokensBefore": expect.any(Number),
    "fold.covers": expect.any(Number),
  });
  const error = new QuotingError(marker);
  expect(logRecord({ type: "context.fail", rung: "archive", error, next: "none", threadId: "t" })).toEqual({
    type: "context.fail",
    rung: "archive",
    error: "QuotingError refused",
    next: "none",
    threadId: "t",
  });
});

it("an error is named by its class and code, and by neither where these are sentences", () => {
  const sentence = Object.assign(new Error("m"), { name: `about ${marker} here`, code: `${marker} said so` });
  expect([errorType(sentence), errorType(marker), errorType(new RangeError(marker))]).toEqual([
    "Error",
    "string",
    "RangeError",
  ]);
});
