export { telemetryListener, type TelemetryOptions } from "./telemetry-listener.js";
