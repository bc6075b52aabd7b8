import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { madeStory, writeClaudeCode } from "../../packages/sessions/dist/testing/index.js";
import { root } from "../run.mjs";
import { install, pack } from "./pack.mjs";

const consumer = join(root, "scripts/pack/consumer");
const hosts = {
  "@langchain/core": "^1.4.0",
  "@langchain/langgraph": "^1.7.0",
  langchain: "^1.5.0",
  "@types/node": "^20.19.0",
};
let folder;
let tarballs;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-pack-"));
  tarballs = pack(join(folder, "packs"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function project(name, dependencies) {
  const path = join(folder, name);
  mkdirSync(path);
  cpSync(consumer, path, { recursive: true });
  writeFileSync(join(path, "package.json"), JSON.stringify({ name, private: true, dependencies }));
  return path;
}

function run(cwd, command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", env: process.env });
  expect(status, `${command} ${args.join(" ")} in ${cwd}:\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** Runs the command of operators as it is installed: its version, and a page over a database that a program has written. */
function commands(cwd) {
  const palimpsest = join(cwd, "node_modules/.bin/palimpsest");
  const { version } = JSON.parse(readFileSync(join(root, "packages/cli/package.json"), "utf8"));
  run(cwd, process.execPath, "database.mjs");
  return [
    run(cwd, palimpsest, "--version").trim() === version,
    JSON.parse(run(cwd, palimpsest, "verify", "agent.db", "--json")).damage,
    run(cwd, palimpsest, "inspect", "agent.db", "--report", "page.html").includes("page.html"),
  ];
}

/** Runs the three programs of the consumer and returns what they print; `node` is the command that runs a file. */
function programs(cwd, node = [process.execPath]) {
  const [command, ...args] = node;
  return ["agent.mjs", "everything.mjs", "require.cjs"].map((file) =>
    JSON.parse(run(cwd, command, ...args, file)),
  );
}

const printed = [
  { messages: 40, first: expect.stringMatching(/^Report 0: /), isBounded: true },
  {
    answer: "I heard: hello",
    hit: "I heard: hello",
    exports: [true, true, true, true],
    erased: 1,
  },
  ["function", "function", "function", "function", 1],
];

it("@palimpsest/langgraph alone installs no native build and less than 3 MB, and runs", () => {
  const path = project("alone", { "@langchain/core": "^1.4.0", "@langchain/langgraph": "^1.7.0" });
  const needed = ["@palimpsest/langgraph", "@palimpsest/context", "@palimpsest/vfs"];
  install(path, Object.fromEntries(needed.map((name) => [name, tarballs[name]])));
  const { packages } = JSON.parse(readFileSync(join(path, "package-lock.json"), "utf8"));
  expect(Object.keys(packages).filter((name) => packages[name].hasInstallScript)).toEqual([]);
  expect(bytesOf(join(path, "node_modules/@palimpsest"))).toBeLessThan(3_000_000);
  expect(JSON.parse(run(path, process.execPath, "agent.mjs")).messages).toBe(40);
  const { own, libraries } = importedBy(join(path, "node_modules"), "@palimpsest/langgraph");
  expect(own.length).toBeLessThanOrEqual(10);
  const others = [...libraries].filter((name) => !/^(?:node:|@langchain\/)/.test(name));
  expect(new Set(others)).toEqual(
    new Set(["fflate", "js-sha256", "jsonrepair", "superjson", "tinyqueue", "zod"]),
  );
});

/** Returns what an import of a package loads at once: the files of ours, and the libraries that these import. */
function importedBy(modules, entry) {
  const [own, libraries] = [[], new Set()];
  function visit(path) {
    if (own.includes(path)) return;
    own.push(path);
    for (const [, name] of readFileSync(path, "utf8").matchAll(/^(?:import|export)\b[^"]*"([^"]+)";$/gm)) {
      if (name.startsWith(".")) visit(join(path, "..", name));
      else if (name.startsWith("@palimpsest/")) visit(entryFile(name));
      else libraries.add(name);
    }
  }
  function entryFile(name) {
    const [scope, base, ...rest] = name.split("/");
    const folder = join(modules, scope, base);
    const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return join(folder, exports[[".", ...rest].join("/")].import.default);
  }
  visit(entryFile(entry));
  return { own, libraries };
}

function bytesOf(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

it("from the tarballs to the first audit of a session takes less than a minute", () => {
  const path = project("audit", {});
  writeFileSync(join(path, "session.jsonl"), writeClaudeCode(madeStory({ reads: 30, lines: 200 })));
  const start = performance.now();
  install(path, tarballs);
  const printed = run(path, join(path, "node_modules/.bin/palimpsest"), "audit", "session.jsonl");
  const seconds = (performance.now() - start) / 1000;
  console.log(`first audit after ${seconds.toFixed(1)} s`);
  expect(printed).toContain("Compaction 1, line");
  expect(seconds).toBeLessThan(60);
});

// CI runs this one on every change.
it("a new project runs the packed packages as ES modules and with require, and its types check", () => {
  const path = project("short", { ...hosts, typescript: "7.0.2" });
  install(path, tarballs);
  expect(programs(path)).toEqual(printed);
  expect(commands(path)).toEqual([true, [], true]);
  expect(run(path, process.execPath, "node_modules/typescript/bin/tsc", "-p", ".")).toBe("");
});

it("npm installs the packages beside the oldest supported hosts; they run on each supported Node and type-check in TypeScript 5.9 and 7", () => {
  const path = project("npm", {
    ...hosts,
    "@langchain/core": "1.3.4",
    "@langchain/langgraph": "1.7.0",
    "@langchain/langgraph-checkpoint": "1.2.2",
    langchain: "1.5.0",
    zod: "4.2.0",
    typescript: "7.0.2",
    "typescript-5": "npm:typescript@5.9.3",
  });
  install(path, tarballs);
  for (const version of [20, 22, 24])
    expect(programs(path, ["npx", "--yes", "--package", `node@${version}`, "--", "node"])).toEqual(printed);
  expect(run(path, process.execPath, "node_modules/typescript/bin/tsc", "-p", ".")).toBe("");
  expect(run(path, process.execPath, "node_modules/typescript-5/bin/tsc", "-p", ".")).toBe("");
});

it("pnpm installs the packages and they run", () => {
  const path = project("pnpm", hosts);
  install(path, tarballs, [process.execPath, join(root, "node_modules/pnpm/bin/pnpm.cjs")]);
  expect(programs(path)).toEqual(printed);
});

it("Yarn installs the packages into node_modules and they run", () => {
  const path = project("yarn", hosts);
  writeFileSync(join(path, ".yarnrc.yml"), "nodeLinker: node-modules\n");
  writeFileSync(join(path, "yarn.lock"), "");
  install(path, tarballs, ["npx", "--yes", "--package", "@yarnpkg/cli-dist@4.18.1", "--", "yarn"]);
  expect(programs(path)).toEqual(printed);
});

it("bun installs the packages and they run", () => {
  const path = project("bun", hosts);
  install(path, tarballs, ["npx", "--yes", "--package", "bun@1.4.5", "--", "bun"]);
  expect(programs(path)).toEqual(printed);
});

it("a project of CommonJS compiles with node10 and node16, runs without require of ES modules, and under Jest", () => {
  const path = join(folder, "commonjs");
  cpSync(join(root, "scripts/pack/commonjs"), path, { recursive: true });
  const dependencies = { ...hosts, typescript: "5.9.3", jest: "^30.0.0" };
  writeFileSync(
    join(path, "package.json"),
    JSON.stringify({ name: "commonjs", private: true, dependencies }),
  );
  install(path, tarballs);
  const kinds = { node10: ["commonjs", "node10"], node16: ["node16", "node16"] };
  for (const [name, [module, moduleResolution]] of Object.entries(kinds)) {
    const options = [
      "--target",
      "es2023",
      "--strict",
      "--skipLibCheck",
      "--esModuleInterop",
      "--types",
      "node",
      "--outDir",
      name,
    ];
    const kind = ["--module", module, "--moduleResolution", moduleResolution];
    run(path, process.execPath, "node_modules/typescript/bin/tsc", ...options, ...kind, "main.ts");
    const seen = run(path, process.execPath, "--no-experimental-require-module", join(name, "main.js"));
    expect(JSON.parse(seen)).toEqual([24, "Question 0", 24, "function", "function", "function"]);
    rmSync(join(path, "agent.db"), { force: true });
  }
  run(path, process.execPath, "node_modules/jest/bin/jest.js", "agent.test.js");
});

it("packing again gives tarballs of the same content", () => {
  const again = pack(join(folder, "again"));
  expect(Object.values(again).map((path) => basename(path))).toEqual(
    Object.values(tarballs).map((path) => basename(path)),
  );
});

it("publint and attw find nothing to say against the packages", () => {
  for (const [name, tarball] of Object.entries(tarballs)) {
    expect(run(root, join(root, "node_modules/.bin/publint"), "--strict", tarball)).toContain("All good!");
    // The suites for tests import Vitest, which is an ES module; package.json has no types.
    const rest = ["--exclude-entrypoints", "testing", "package.json", "--format", "json"];
    expect(run(root, join(root, "node_modules/.bin/attw"), tarball, ...rest)).toContain(name);
  }
});
