import { join } from "node:path";
import { defineConfig } from "vitest/config";

const isSlow = process.env["PALIMPSEST_TESTS"] === "slow";

/**
 * Returns the Vitest configuration of a workspace project: its `*.slow.test.ts` files in the slow run, all others else.
 *
 * The files are not isolated: they share no state, and loading LangChain anew for each takes longer than most tests.
 */
export function testProject(name, options = {}) {
  return defineConfig({
    test: {
      name,
      include: [isSlow ? "**/*.slow.test.ts" : "**/!(*.slow).test.ts"],
      exclude: ["dist/**", "node_modules/**"],
      isolate: false,
      setupFiles: [join(import.meta.dirname, "property-seed.mjs")],
      testTimeout: isSlow ? 300_000 : 120_000,
      hookTimeout: 60_000,
      ...options,
    },
  });
}

/** Options of a project whose tests use Postgres: they share the server that the checkpointer's tests start. */
export const withPostgres = {
  globalSetup: join(import.meta.dirname, "../packages/checkpoint/src/testing/global-setup.ts"),
};
