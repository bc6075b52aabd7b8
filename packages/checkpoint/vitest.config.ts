import { defineConfig } from "vitest/config";

// `globals` because the host's conformance suite expects them. Not isolated because loading the host again for each file
// takes as long as many of the tests.
export default defineConfig({
  test: {
    name: "checkpoint",
    include: [
      process.env["PALIMPSEST_TESTS"] === "slow" ? "src/**/*.slow.test.ts" : "src/**/!(*.slow).test.ts",
    ],
    globals: true,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    globalSetup: "src/testing/global-setup.ts",
  },
});
