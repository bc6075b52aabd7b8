import { defineConfig } from "vitest/config";

export default defineConfig({ test: { name: "langgraph", include: ["src/**/*.test.ts"] } });
