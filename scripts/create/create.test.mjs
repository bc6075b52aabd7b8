import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { install, pack } from "../pack/pack.mjs";
import { root } from "../run.mjs";
import { create, hosts } from "./create.mjs";

let folder;
let tarballs;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-create-"));
  tarballs = pack(join(folder, "packs"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function npm(cwd, ...args) {
  const { OPENAI_API_KEY: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8", env });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

it.each(hosts)(
  "a created project of the host %s type-checks and answers without a key, from what was compacted",
  (host) => {
    const project = join(folder, host);
    create(project, host);
    install(project, tarballs);
    npm(project, "run", "check");
    const said = npm(project, "start");
    expect(said).toContain("The error code in the first log is E-4037.");
    expect(said).toMatch(/[1-9]\d* compactions, [1-9]\d* folds/);
    const again = npm(project, "start", "--", "What was the code again?");
    expect(again).toContain("Thread 1 goes on.\nThe error code in the first log is E-4037.");
    npm(project, "test");
    expect(npm(project, "ls")).not.toContain("invalid");
  },
);

it("a created project keeps its packages when another one is packed, and names what it can be served from", () => {
  const project = join(folder, hosts[0]);
  rmSync(join(folder, "packs"), { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  const packs = Object.values(dependencies).filter((range) => range.startsWith("file:"));
  expect(packs.length).toBeGreaterThan(6);
  for (const pack of packs) expect(existsSync(join(project, pack.slice("file:".length)))).toBe(true);
  const { graphs } = JSON.parse(readFileSync(join(project, "langgraph.json"), "utf8"));
  expect(existsSync(join(project, graphs.agent.split(":")[0]))).toBe(true);
});

it("a folder with files in it, and a host that is not there, are refused with the way out", () => {
  const project = mkdtempSync(join(folder, "taken-"));
  writeFileSync(join(project, "notes.txt"), "mine");
  expect(() => create(project, "graph")).toThrow(/is not empty: name a new folder/);
  expect(() => create(join(folder, "new"), "autogen")).toThrow(/no host "autogen": use .*graph/);
});

it.each([[], ["new", "--hots", "graph"], [".", "--host", "graph"]])(
  "a wrong call of the command (%s %s %s) is answered in one line",
  (...args) => {
    const script = fileURLToPath(new URL("create.mjs", import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [script, ...args], {
      cwd: root,
      encoding: "utf8",
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^(?:Name the folder|Unknown option|\S+ is not empty).+\n$/);
  },
);
