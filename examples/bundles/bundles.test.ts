import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import type { BuildOptions } from "esbuild";
import { rolldown } from "rolldown";
import { afterAll, describe, expect, it } from "vitest";

type Bundle = (app: string) => Promise<string>;

/** Outside the workspace: a bundle finds no package beside it. */
const folder = mkdtempSync(join(tmpdir(), "palimpsest-bundles-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const url = process.env["PALIMPSEST_POSTGRES_URL"];

const entry = (app: string): string => join(import.meta.dirname, `${app}.ts`);

function withEsbuild(format: "esm" | "cjs"): Bundle {
  // What the documentation says for packages that call `require` in a bundle of ES modules.
  const js =
    'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';
  return async (app) => {
    const outfile = join(folder, `${app}.esbuild.${format === "esm" ? "mjs" : "cjs"}`);
    const options: BuildOptions = {
      bundle: true,
      platform: "node",
      logLevel: "silent",
      external: ["pg-native"],
    };
    const banner: BuildOptions["banner"] = format === "esm" ? { js } : {};
    await build({ ...options, entryPoints: [entry(app)], outfile, format, banner });
    return outfile;
  };
}

async function withRolldown(app: string): Promise<string> {
  const file = join(folder, `${app}.rolldown.mjs`);
  const rolled = await rolldown({
    input: entry(app),
    platform: "node",
    external: ["pg-native"],
    logLevel: "silent",
  });
  await rolled.write({ file, format: "esm", codeSplitting: false });
  await rolled.close();
  return file;
}

function run(bundle: string): unknown {
  // The commands of pnpm name its packages in NODE_PATH.
  const env = { ...process.env, DATABASE_URL: url, NODE_PATH: "" };
  return JSON.parse(execFileSync(process.execPath, [bundle], { cwd: folder, env, encoding: "utf8" }));
}

const bundlers: readonly (readonly [string, Bundle])[] = [
  ["esbuild as ES modules", withEsbuild("esm")],
  ["esbuild as CommonJS", withEsbuild("cjs")],
  ["rolldown", withRolldown],
];

describe.each(bundlers)("an app bundled by %s, with no package beside it,", (_, bundle) => {
  it("folds with a saver in memory", async () => {
    expect(run(await bundle("in-memory"))).toEqual({ isFolded: true });
  });

  it("says that a SQLite file needs libsql", async () => {
    expect(run(await bundle("sqlite"))).toEqual({
      code: "missing-package",
      message: expect.stringContaining("npm install libsql") as string,
    });
  });

  it.skipIf(url === undefined)("keeps a thread in Postgres", async () => {
    expect(run(await bundle("postgres"))).toEqual({ messages: 4 });
  });
});

it("a bundle opens a SQLite file when libsql is in node_modules", async () => {
  const bundle = await withEsbuild("esm")("sqlite");
  const libsql = createRequire(join(import.meta.dirname, "../../packages/sql/package.json")).resolve(
    "libsql",
  );
  symlinkSync(libsql.slice(0, libsql.lastIndexOf("libsql/")), join(folder, "node_modules"));
  expect(run(bundle)).toEqual({ isOpen: true });
  rmSync(join(folder, "node_modules"));
});

it("the pure functions run in a browser's bundle, and name files as they do in Node", async () => {
  const outfile = join(folder, "browser.js");
  await build({ entryPoints: [entry("browser")], bundle: true, outfile, format: "iife", logLevel: "silent" });
  const lines: string[] = [];
  const { TextEncoder, TextDecoder, URL, AbortController, Event, EventTarget, crypto, performance } =
    globalThis;
  const web = { TextEncoder, TextDecoder, URL, AbortController, Event, EventTarget, crypto, performance };
  const console = { log: (line: string) => lines.push(line), warn: () => undefined };
  runInContext(
    readFileSync(outfile, "utf8"),
    createContext({ ...web, atob, btoa, console, setTimeout, clearTimeout }),
  );
  await new Promise((resolve) => setTimeout(resolve, 100));
  const inNode = execFileSync(process.execPath, ["--import", "tsx", entry("browser")], { encoding: "utf8" });
  expect(lines.join("")).toBe(inNode.trim());
  expect(JSON.parse(lines.join(""))).toMatchObject({ isWhole: true, after: 160 });
});
