import { defineConfig } from "vitest/config";

// Installs packed packages into new projects and builds the site, so it needs the registry and minutes: `npm run test:install`.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.mjs"],
    reporters: ["default", "./summary-reporter.mjs"],
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
});
