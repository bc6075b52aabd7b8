import { defineConfig } from "vitest/config";

export default defineConfig({ test: { name: "vfs", include: ["src/**/*.test.ts"] } });
