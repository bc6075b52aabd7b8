import { fileURLToPath } from "node:url";

/** Folder of the repository: one above this file, or two above what is built of it. */
export const root = fileURLToPath(
  new URL(import.meta.url.includes("/dist/") ? "../.." : "..", import.meta.url),
);
