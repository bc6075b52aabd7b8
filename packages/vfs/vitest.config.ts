import { defineConfig } from "vitest/config";

// The tests share no state, so the files share one module graph: loading it for each file takes longer than the tests.
export default defineConfig({
  test: {
    name: "vfs",
    include: [
      process.env["PALIMPSEST_TESTS"] === "slow" ? "src/**/*.slow.test.ts" : "src/**/!(*.slow).test.ts",
    ],
    testTimeout: process.env["PALIMPSEST_TESTS"] === "slow" ? 300_000 : 60_000,
    isolate: false,
  },
});
