import { defineConfig } from "vitest/config";

// The tests share no state, so the files share one module graph: loading it for each file takes longer than the tests.
// The checkpointer's tests start the Postgres server that these tests use.
export default defineConfig({
  test: {
    name: "recall",
    include: [
      process.env["PALIMPSEST_TESTS"] === "slow" ? "src/**/*.slow.test.ts" : "src/**/!(*.slow).test.ts",
    ],
    isolate: false,
    globalSetup: "../checkpoint/src/testing/global-setup.ts",
    testTimeout: process.env["PALIMPSEST_TESTS"] === "slow" ? 300_000 : 60_000,
    hookTimeout: 60_000,
  },
});
