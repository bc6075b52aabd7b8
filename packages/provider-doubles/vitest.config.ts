import { defineConfig } from "vitest/config";

// Pure functions leave nothing behind: the files share their workers, so LangChain is loaded once a worker.
export default defineConfig({
  test: { name: "provider-doubles", include: ["src/**/*.test.ts"], testTimeout: 60_000, isolate: false },
});
