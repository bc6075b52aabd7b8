export { archiveBackend, type ArchiveBackendOptions } from "./archive-backend.js";
export { contextMiddleware, type ContextMiddlewareOptions } from "./context-middleware.js";
export { foldMiddleware, type FoldMiddlewareOptions } from "../folding/fold-middleware.js";
export {
  predictiveContextMiddleware,
  type PredictiveContextMiddlewareOptions,
} from "../predictive/predictive-context-middleware.js";
export { memoryMiddleware, type MemoryMiddlewareOptions } from "../memory/memory-middleware.js";
