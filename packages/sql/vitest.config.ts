import { defineConfig } from "vitest/config";

// The Postgres that the tests of the checkpointer start serves these too.
export default defineConfig({
  test: {
    name: "sql",
    include: [
      process.env["PALIMPSEST_TESTS"] === "slow" ? "src/**/*.slow.test.ts" : "src/**/!(*.slow).test.ts",
    ],
    isolate: false,
    globalSetup: "../checkpoint/src/testing/global-setup.ts",
    testTimeout: process.env["PALIMPSEST_TESTS"] === "slow" ? 300_000 : 60_000,
    hookTimeout: 60_000,
  },
});
