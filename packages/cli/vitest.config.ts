import { defineConfig } from "vitest/config";

// The checkpointer's tests start the Postgres server that these tests use.
export default defineConfig({
  test: {
    name: "cli",
    include: [
      process.env["PALIMPSEST_TESTS"] === "slow" ? "src/**/*.slow.test.ts" : "src/**/!(*.slow).test.ts",
    ],
    testTimeout: process.env["PALIMPSEST_TESTS"] === "slow" ? 300_000 : 60_000,
    isolate: false,
    globalSetup: "../checkpoint/src/testing/global-setup.ts",
    hookTimeout: 60_000,
  },
});
