import type Database from "libsql";
import type { CreateError } from "./sql-failure.js";

/**
 * Returns the driver of SQLite files. It is native, so it is loaded with the first file that is opened, and a bundle without
 * one runs where it is not installed. Bundlers do not follow this call: the package stays outside the bundle.
 */
export function loadLibsql(createError: CreateError): typeof Database {
  try {
    // An import would collide with the one that bundles of ES modules are often given on top.
    const { createRequire } = process.getBuiltinModule("node:module");
    return createRequire(ownPath())("libsql") as typeof Database;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw createError(
      "missing-package",
      `A SQLite file needs the package libsql, which cannot be loaded. Run: npm install libsql. Beside a bundle, it belongs in node_modules. (${reason})`,
      cause,
    );
  }
}

/** A bundle of CommonJS has no url of its own. */
function ownPath(): string {
  return typeof __filename === "string" ? __filename : import.meta.url;
}
