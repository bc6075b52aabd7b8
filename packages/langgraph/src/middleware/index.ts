export { contextMiddleware, type ContextMiddlewareOptions } from "./context-middleware.js";
