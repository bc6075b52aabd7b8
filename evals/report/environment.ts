import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, totalmem } from "node:os";

/** Where and with what something was measured. */
export interface Environment {
  readonly date: string;
  /** Of the repository; with "+" when files differ from it. Absent outside a repository. */
  readonly commit?: string;
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  /** The versions that are installed, not those that were asked for. */
  readonly packages: Readonly<Record<string, string>>;
}

const names = [
  "deepagents",
  "langchain",
  "@langchain/langgraph",
  "@langchain/core",
  "ai",
  "@strands-agents/sdk",
  "@google/adk",
  "gpt-tokenizer",
];

/** Returns the environment of this process. */
export function environment(): Environment {
  const commit = commitOf();
  const [first] = cpus();
  return {
    date: new Date().toISOString(),
    ...(commit === undefined ? {} : { commit }),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: first?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    packages: Object.fromEntries(names.map((name) => [name, versionOf(name)])),
  };
}

/** Returns the version of an installed package of the evals. */
export function versionOf(name: string): string {
  const entry = createRequire(import.meta.url).resolve(name);
  const folder = entry.slice(0, entry.lastIndexOf(`node_modules/${name}/`) + `node_modules/${name}/`.length);
  const { version } = JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as { version: string };
  return version;
}

function commitOf(): string | undefined {
  const cwd = new URL(".", import.meta.url);
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    const dirty = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : "+";
    return `${git("rev-parse", "--short", "HEAD")}${dirty}`;
  } catch {
    return undefined;
  }
}
