import { defineConfig } from "vitest/config";

export default defineConfig({ test: { name: "examples", include: ["**/*.test.ts"], testTimeout: 60_000 } });
