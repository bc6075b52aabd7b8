import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "evals",
    include: ["**/*.test.ts"],
    exclude: ["dist/**", "node_modules/**"],
    testTimeout: 60_000,
  },
});
