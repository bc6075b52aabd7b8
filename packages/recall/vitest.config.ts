import { defineConfig } from "vitest/config";

// The tests share no state, so the files share one module graph: loading it anew for each takes longer than the tests.
export default defineConfig({ test: { name: "recall", include: ["src/**/*.test.ts"], isolate: false } });
