import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*", "examples", "evals"],
    reporters: ["default", "./scripts/summary-reporter.mjs"],
  },
});
