import { metrics, type Meter, type ObservableResult } from "@opentelemetry/api";

interface Size {
  readonly rows: number;
  readonly bytes: number;
}

/** What `sizes` of a storage returns. */
interface Sizes {
  readonly erased: { readonly erasures: number; readonly texts: number; readonly bytes: number };
  readonly disk?: number;
}

/** A storage that counts what it holds, such as a `VfsSaver`. */
export interface CountingStorage {
  sizes(): Promise<Sizes>;
}

export interface StorageMetricsOptions {
  /** @default the meter "@palimpsest/langgraph" of the global provider */
  readonly meter?: Meter;
  /** Milliseconds for which a count is kept, however often it is exported. @default 300_000 */
  readonly every?: number;
  /** Called when the storage cannot be counted. Nothing is exported then. @default ignored */
  readonly onError?: (error: unknown) => void;
}

const kinds = ["checkpoints", "contents", "archive", "files", "index"] as const;

/**
 * Exports what a storage holds, by kind, and what was erased from it, as OpenTelemetry metrics. Counts when they are exported, and at
 * most once in `every`. One process of several that share a storage is enough. Returns a function that ends it.
 */
export function storageMetrics(
  storage: CountingStorage,
  { meter = metrics.getMeter("@palimpsest/langgraph"), every = 300_000, onError }: StorageMetricsOptions = {},
): () => void {
  const count = kept(async () => storage.sizes(), every);
  const observed = (metric: (sizes: Sizes, result: ObservableResult) => void) => {
    return async (result: ObservableResult): Promise<void> => {
      try {
        metric(await count(), result);
      } catch (error) {
        onError?.(error);
      }
    };
  };
  const ends = instruments.map(({ kind, name, description, unit, metric }) => {
    const create = kind === "gauge" ? "createObservableGauge" : "createObservableCounter";
    const instrument = meter[create](name, { description, unit });
    const callback = observed(metric);
    instrument.addCallback(callback);
    return () => instrument.removeCallback(callback);
  });
  return () => ends.forEach((end) => end());
}

const instruments = [
  {
    kind: "gauge",
    name: "palimpsest.storage.size",
    description: "Bytes in the storage, by kind.",
    unit: "By",
    metric: (sizes: Sizes, result: ObservableResult) => observeKinds(sizes, "bytes", result),
  },
  {
    kind: "gauge",
    name: "palimpsest.storage.rows",
    description: "Rows or files in the storage, by kind.",
    unit: "{row}",
    metric: (sizes: Sizes, result: ObservableResult) => observeKinds(sizes, "rows", result),
  },
  {
    kind: "gauge",
    name: "palimpsest.storage.disk",
    description: "Bytes that the storage takes on the disk, with indexes and free space.",
    unit: "By",
    metric: ({ disk }: Sizes, result: ObservableResult) => {
      if (disk !== undefined) result.observe(disk);
    },
  },
  {
    kind: "counter",
    name: "palimpsest.erasures",
    description: "Erasures that have changed the storage.",
    unit: "{erasure}",
    metric: ({ erased }: Sizes, result: ObservableResult) => result.observe(erased.erasures),
  },
  {
    kind: "counter",
    name: "palimpsest.erased.texts",
    description: "Texts in whose place a tombstone is.",
    unit: "{text}",
    metric: ({ erased }: Sizes, result: ObservableResult) => result.observe(erased.texts),
  },
  {
    kind: "counter",
    name: "palimpsest.erased.size",
    description: "Bytes of these texts.",
    unit: "By",
    metric: ({ erased }: Sizes, result: ObservableResult) => result.observe(erased.bytes),
  },
] as const;

function observeKinds(sizes: Sizes, name: keyof Size, result: ObservableResult): void {
  for (const kind of kinds) {
    const size = (sizes as Partial<Record<(typeof kinds)[number], Size>>)[kind];
    if (size !== undefined) result.observe(size[name], { "storage.kind": kind });
  }
}

/** Returns a function with the result of `work`, which runs again when the result is older than `every`, or has failed. */
function kept<T>(work: () => Promise<T>, every: number): () => Promise<T> {
  let last: { readonly at: number; readonly result: Promise<T> } | undefined;
  return async () => {
    if (last !== undefined && performance.now() - last.at < every) return last.result;
    const result = work();
    const own = { at: performance.now(), result };
    last = own;
    result.catch(() => {
      if (last === own) last = undefined;
    });
    return result;
  };
}
