export { storageMetrics, type CountingStorage, type StorageMetricsOptions } from "./storage-metrics.js";
export { telemetryListener, type TelemetryOptions } from "./telemetry-listener.js";
