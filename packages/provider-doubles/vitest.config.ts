import { defineConfig } from "vitest/config";

// Pure functions leave nothing behind: the files share their workers, so LangChain is loaded once a worker.
export default defineConfig({
  test: {
    name: "provider-doubles",
    include: [
      process.env["PALIMPSEST_TESTS"] === "slow" ? "src/**/*.slow.test.ts" : "src/**/!(*.slow).test.ts",
    ],
    testTimeout: process.env["PALIMPSEST_TESTS"] === "slow" ? 300_000 : 60_000,
    isolate: false,
  },
});
