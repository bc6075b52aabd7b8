import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { type AuditedPackage } from "./choose-job.js";

/** The right answers for one package. Every field is one answer. */
export interface PackageFacts {
  readonly licence: string;
  readonly version: string;
  readonly entry: string;
  /** Path and size, as `dist/index.js 12345`. */
  readonly largest: string;
  /** Names joined by `, `, or `-`. */
  readonly importedBy: string;
  /** `path:line`. */
  readonly symbol: string;
}

/**
 * Returns the facts of every package by name, read straight from the file system.
 * Shares no code with the tools or the model, so that a mistake in one of them shows.
 */
export function groundTruth(packages: readonly AuditedPackage[]): Map<string, PackageFacts> {
  const imports = new Map(packages.map((each) => [each.name, importedNames(each, packages)]));
  return new Map(
    packages.map((each): [string, PackageFacts] => {
      const manifest = JSON.parse(readFileSync(`${each.folder}/package.json`, "utf8")) as Manifest;
      const importers = packages
        .filter((other) => other.name !== each.name && imports.get(other.name)?.has(each.name))
        .map((other) => other.name)
        .toSorted();
      return [
        each.name,
        {
          licence: licenceOf(manifest),
          version: String(manifest.version),
          entry: entryOf(manifest),
          largest: largestFile(each.folder),
          importedBy: importers.length === 0 ? "-" : importers.join(", "),
          symbol: definitionOf(each.symbol, each.folder),
        },
      ];
    }),
  );
}

interface Manifest {
  readonly version?: unknown;
  readonly license?: unknown;
  readonly licenses?: unknown;
  readonly exports?: unknown;
  readonly module?: unknown;
  readonly main?: unknown;
}

function licenceOf({ license, licenses }: Manifest): string {
  if (typeof license === "string") return license;
  const old: unknown = license ?? (Array.isArray(licenses) ? licenses[0] : undefined);
  return isRecord(old) && typeof old["type"] === "string" ? old["type"] : "none";
}

function entryOf({ exports, module, main }: Manifest): string {
  const hasPaths = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith("."));
  const target = follow(hasPaths && isRecord(exports) ? exports["."] : exports);
  for (const candidate of [target, module, main]) if (typeof candidate === "string") return candidate;
  return "index.js";
}

function follow(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (Array.isArray(target)) return follow(target[0]);
  if (!isRecord(target)) return undefined;
  const key = ["import", "module", "default", "node", "require"].find((name) => name in target);
  return key === undefined ? undefined : follow(target[key]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function largestFile(folder: string): string {
  let best = { path: "", size: -1 };
  for (const path of allFiles(folder)) {
    const { size } = lstatSync(`${folder}/${path}`);
    if (size > best.size || (size === best.size && path < best.path)) best = { path, size };
  }
  return `${best.path} ${best.size}`;
}

/** Names of the audited packages that a source file of `from` imports. */
function importedNames(from: AuditedPackage, packages: readonly AuditedPackage[]): Set<string> {
  const names = new Set(packages.map((each) => each.name));
  const seen = new Set<string>();
  for (const path of allFiles(from.folder).filter(isSource)) {
    const text = readFileSync(`${from.folder}/${path}`, "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:from |require\()["']([^"'\n]+)/g)) {
      const parts = specifier.split("/");
      const name = parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
      // A name must end at a quote or a slash: `require("zod` at the end of a line is not an import of zod.
      if (names.has(name)) {
        const closed = new RegExp(`(?:from |require\\()["']${escape(name)}(?:/|"|')`);
        if (closed.test(text)) seen.add(name);
      }
    }
  }
  return seen;
}

function definitionOf(symbol: string, folder: string): string {
  const pattern = new RegExp(
    `^(export )?(default )?(declare )?(abstract )?(async )?(class|function) ${escape(symbol)}([^\\w$]|$)`,
  );
  for (const path of allFiles(folder).filter(isSource).toSorted()) {
    const text = readFileSync(`${folder}/${path}`, "utf8");
    if (!text.includes(symbol)) continue;
    const index = text.split("\n").findIndex((line) => pattern.test(line));
    if (index >= 0) return `${path}:${index + 1}`;
  }
  return "none";
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, (character) => `\\${character}`);
}

function isSource(path: string): boolean {
  return [".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"].some((end) => path.endsWith(end));
}

/** Paths of all files below the folder, nested packages left out. */
function allFiles(folder: string, below = ""): string[] {
  if (!existsSync(folder)) return [];
  const paths: string[] = [];
  for (const name of readdirSync(`${folder}/${below}`)) {
    const path = `${below}${name}`;
    const stat = lstatSync(`${folder}/${path}`);
    if (stat.isDirectory() && name !== "node_modules") paths.push(...allFiles(folder, `${path}/`));
    if (stat.isFile()) paths.push(path);
  }
  return paths;
}
