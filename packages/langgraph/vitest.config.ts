import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "langgraph",
    isolate: false,
    include: [
      process.env["PALIMPSEST_TESTS"] === "slow" ? "src/**/*.slow.test.ts" : "src/**/!(*.slow).test.ts",
    ],
    testTimeout: process.env["PALIMPSEST_TESTS"] === "slow" ? 300_000 : 60_000,
  },
});
