import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { describe, expect, it } from "vitest";
import { storageMetrics, type StorageMetricsOptions } from "./storage-metrics.js";

const erased = { erasures: 2, threads: 3, texts: 40, bytes: 800 };
const sizes = {
  checkpoints: { rows: 10, bytes: 1_000 },
  contents: { rows: 20, bytes: 2_000 },
  archive: { rows: 30, bytes: 3_000 },
  files: { rows: 40, bytes: 4_000 },
  disk: 90_000,
  erased,
};

/** A storage whose counts are exported by the real SDK. */
function exported(options: StorageMetricsOptions = {}) {
  const storage = {
    counts: 0,
    failure: undefined as Error | undefined,
    sizes: async () => {
      storage.counts += 1;
      return storage.failure === undefined ? Promise.resolve(sizes) : Promise.reject(storage.failure);
    },
  };
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  const end = storageMetrics(storage, { meter: meters.getMeter("test"), ...options });
  const points = async (): Promise<Record<string, unknown>> => {
    exporter.reset();
    await meters.forceFlush();
    const found = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics)
      .flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => {
          const kind = attributes["storage.kind"];
          return [typeof kind === "string" ? `${descriptor.name} ${kind}` : descriptor.name, value];
        }),
      );
    return Object.fromEntries(found) as Record<string, unknown>;
  };
  return { storage, points, end };
}

describe("storage metrics", () => {
  it("export bytes and rows by kind, the disk, and what was erased", async () => {
    const { points } = exported();
    expect(await points()).toEqual({
      "palimpsest.storage.size checkpoints": 1_000,
      "palimpsest.storage.size contents": 2_000,
      "palimpsest.storage.size archive": 3_000,
      "palimpsest.storage.size files": 4_000,
      "palimpsest.storage.rows checkpoints": 10,
      "palimpsest.storage.rows contents": 20,
      "palimpsest.storage.rows archive": 30,
      "palimpsest.storage.rows files": 40,
      "palimpsest.storage.disk": 90_000,
      "palimpsest.erasures": 2,
      "palimpsest.erased.texts": 40,
      "palimpsest.erased.size": 800,
    });
  });

  it("count once for all metrics and for exports within the interval", async () => {
    const { storage, points } = exported({ every: 60_000 });
    await points();
    await points();
    expect(storage.counts).toBe(1);
    const often = exported({ every: 0 });
    await often.points();
    const first = often.storage.counts;
    await often.points();
    expect(often.storage.counts).toBeGreaterThan(first);
  });

  it("export nothing and report it when the storage cannot be counted, and count again", async () => {
    const errors: unknown[] = [];
    const { storage, points } = exported({ onError: (error) => errors.push(error) });
    storage.failure = new Error("down");
    expect(await points()).toEqual({});
    expect(new Set(errors)).toEqual(new Set([storage.failure]));
    storage.failure = undefined;
    expect(Object.keys(await points())).toHaveLength(12);
  });

  it("end when they are told to", async () => {
    const { storage, points, end } = exported({ every: 0 });
    end();
    await points();
    expect(storage.counts).toBe(0);
  });
});
