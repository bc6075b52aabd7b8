export { testBackend } from "./test-backend.js";
export type { TestBackendOptions } from "./test-backend-options.js";
export { testDriver } from "./test-driver.js";
export type { TestDriverOptions } from "./test-driver.js";
