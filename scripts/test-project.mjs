import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const isSlow = process.env["PALIMPSEST_TESTS"] === "slow";

/** A user without rights, as whom tests of permissions run where root would be allowed everything. */
const nobody = 65_534;

/** Returns that user for root, and "" for any other user, or in a folder that only root may read: modules are loaded late. */
function otherUser() {
  if (process.getuid?.() !== 0) return "";
  const read = ["-e", "require('node:fs').readFileSync(process.argv[1])", import.meta.filename];
  return spawnSync(process.execPath, read, { uid: nobody }).status === 0 ? String(nobody) : "";
}

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
      env: { PALIMPSEST_OTHER_USER: otherUser() },
      ...options,
    },
  });
}

/** Options of a project whose tests use Postgres: they share the server that the checkpointer's tests start. */
export const withPostgres = {
  globalSetup: join(import.meta.dirname, "../packages/checkpoint/src/testing/global-setup.ts"),
};
