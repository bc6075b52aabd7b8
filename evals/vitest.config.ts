import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "evals",
    isolate: false,
    include: [process.env["PALIMPSEST_TESTS"] === "slow" ? "**/*.slow.test.ts" : "**/!(*.slow).test.ts"],
    exclude: ["dist/**", "node_modules/**"],
    testTimeout: process.env["PALIMPSEST_TESTS"] === "slow" ? 300_000 : 60_000,
  },
});
