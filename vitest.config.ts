import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// `--mode slow` runs the files `*.slow.test.ts` and nothing else. Vitest does not pass the mode on to the projects, so it
// reaches them through the environment.
export default defineConfig(({ mode }) => {
  if (mode === "slow") process.env["PALIMPSEST_TESTS"] = mode;
  return {
    test: {
      projects: ["packages/*", "examples", "evals"],
      // By default Vitest leaves one core free: on two cores that is one worker for all tests.
      maxWorkers: availableParallelism(),
      reporters: ["default", "./scripts/summary-reporter.mjs"],
    },
  };
});
