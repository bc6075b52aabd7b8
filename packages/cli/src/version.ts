import { createRequire } from "node:module";

/** Returns the version of this package. */
export function version(): string {
  // By package name: the published modules are bundled, so the relative path to the manifest differs.
  const manifest: unknown = createRequire(import.meta.url)("@palimpsest/cli/package.json");
  return (manifest as { readonly version: string }).version;
}
