import { defineConfig } from "vitest/config";

// `globals` because the host's conformance suite expects them.
export default defineConfig({
  test: {
    name: "checkpoint",
    include: ["src/**/*.test.ts"],
    globals: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: "src/testing/global-setup.ts",
  },
});
