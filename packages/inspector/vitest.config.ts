import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "inspector",
    include: [
      process.env["PALIMPSEST_TESTS"] === "slow" ? "src/**/*.slow.test.ts" : "src/**/!(*.slow).test.ts",
    ],
    testTimeout: process.env["PALIMPSEST_TESTS"] === "slow" ? 300_000 : 60_000,
    hookTimeout: 120_000,
    isolate: false,
  },
});
