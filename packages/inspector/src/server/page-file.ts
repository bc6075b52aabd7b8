import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { InspectorError } from "../inspector-error.js";

/** The page, and the policy under which a browser shows it. */
export interface PageFile {
  readonly html: string;
  /** The value of `Content-Security-Policy`: only the page's own script and style run, and it talks to its server alone. */
  readonly policy: string;
}

/** Reads the page, which is one file. */
export function readPage(): PageFile {
  const html = readHtml();
  const scripts = hashes(html, /<script type="module">([\s\S]*?)<\/script>/gu);
  const styles = hashes(html, /<style>([\s\S]*?)<\/style>/gu);
  const policy = [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${styles}`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return { html, policy };
}

function readHtml(): string {
  const manifest = createRequire(import.meta.url).resolve("@palimpsest/inspector/package.json");
  const path = join(dirname(manifest), "dist/page.html");
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new InspectorError(`${path} is missing. Run: npm run setup`, { cause });
  }
}

function hashes(html: string, pattern: RegExp): string {
  const digests = [...html.matchAll(pattern)].map(([, text = ""]) =>
    createHash("sha256").update(text).digest("base64"),
  );
  return digests.map((digest) => `'sha256-${digest}'`).join(" ");
}
