import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type PackageFolder } from "./find-packages.js";

/** One package to audit, and the symbol whose definition is asked for. */
export interface AuditedPackage extends PackageFolder {
  readonly symbol: string;
}

/** Packages that are audited first when they are installed: the code that this example itself runs on. */
export const preferredPackages = [
  "@langchain/langgraph",
  "@langchain/core",
  "langchain",
  "@langchain/openai",
  "openai",
  "zod",
  "@langchain/langgraph-checkpoint",
  "@langchain/langgraph-sdk",
  "langsmith",
  "deepagents",
  "superjson",
  "picomatch",
  "re2js",
  "p-queue",
  "eventemitter3",
  "commander",
  "semver",
  "chai",
  "postcss",
  "magic-string",
  "js-yaml",
  "json5",
];

/** Packages with more source text than this are passed over: they are compilers and token tables. In bytes. */
export const largestAuditedSource = 18_000_000;
/** Packages with a larger file are passed over: binaries, and whole databases in one source. In bytes. */
export const largestAuditedFile = 2_000_000;

const definition =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(?:class|function) ([A-Za-z]\w{4,})(?![\w$])/gm;

/**
 * Returns the packages to audit, at most `count`, each with a symbol of its own.
 * Deterministic: the preferred ones first, then the others by name, those without a scope before those with one; a package that defines no class or function is passed over.
 */
export function chooseJob(packages: readonly PackageFolder[], count: number): AuditedPackage[] {
  const ordered = packages.toSorted((a, b) => rank(a.name) - rank(b.name));
  const chosen: AuditedPackage[] = [];
  for (const each of ordered) {
    if (chosen.length >= count) break;
    const symbol = chooseSymbol(each.folder);
    if (symbol !== undefined) chosen.push({ ...each, symbol });
  }
  return chosen;
}

function rank(name: string): number {
  const index = preferredPackages.indexOf(name);
  if (index >= 0) return index;
  return preferredPackages.length + (name.startsWith("@") ? 1 : 0);
}

/** The middle one of the names that the package's sources define at the start of a line, in code point order. */
function chooseSymbol(folder: string): string | undefined {
  const files = allFiles(folder).map((file) => ({ file, bytes: statSync(file).size }));
  const sources = files.filter(({ file }) => /\.[cm]?[jt]s$/.test(file));
  const bytes = sources.reduce((sum, source) => sum + source.bytes, 0);
  if (bytes > largestAuditedSource || files.some((each) => each.bytes > largestAuditedFile)) return undefined;
  const names = new Set<string>();
  for (const { file } of sources)
    for (const match of readFileSync(file, "utf8").matchAll(definition)) names.add(match[1] ?? "");
  const sorted = [...names].toSorted();
  return sorted[Math.floor(sorted.length / 2)];
}

function allFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : allFiles(path);
    return entry.isFile() ? [path] : [];
  });
}
