import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { DirectoryDriver } from "./directory-driver.js";

const base = mkdtempSync(join(tmpdir(), "vfs-race-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A process that swaps a directory for a link out of the root and back, as fast as it can. */
const swapper = `
  const { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } = require("node:fs");
  const [directory, outside] = process.argv.slice(1);
  const attempt = (step) => { try { step(); return true; } catch { return false; } };
  for (;;) {
    attempt(() => renameSync(directory, directory + ".real")) ||
      attempt(() => rmSync(directory + ".real", { recursive: true, force: true }));
    attempt(() => symlinkSync(outside, directory));
    attempt(() => unlinkSync(directory));
    attempt(() => renameSync(directory + ".real", directory));
    attempt(() => mkdirSync(directory)) && attempt(() => writeFileSync(directory + "/file", directory));
  }`;

/** The verbs of an agent over a root, by one means or another. A verb may fail; it may not act outside. */
interface Verbs {
  read(path: string): Promise<string | undefined>;
  write(path: string, text: string): Promise<unknown>;
  delete(path: string): Promise<unknown>;
  list(path: string): Promise<readonly string[]>;
}

interface Escapes {
  tries: number;
  done: number;
  read: number;
  written: number;
  deleted: number;
  listed: number;
}

const seconds = 10;

async function race(verbsOf: (inside: string) => Verbs): Promise<Escapes> {
  const [inside, outside] = [mkdtempSync(join(base, "in-")), mkdtempSync(join(base, "out-"))];
  mkdirSync(join(inside, "dir"));
  const victims = Array.from({ length: 8 }, (_, index) => `victim-${index}`);
  for (const directory of [join(inside, "dir"), outside]) writeFileSync(join(directory, "file"), directory);
  writeFileSync(join(outside, "secret"), "");
  const verbs = verbsOf(inside);
  const count: Escapes = { tries: 0, done: 0, read: 0, written: 0, deleted: 0, listed: 0 };
  const run = async <T>(verb: Promise<T>): Promise<T | undefined> => {
    count.tries++;
    return verb.then(
      (value) => {
        count.done++;
        return value;
      },
      () => undefined,
    );
  };
  const child = spawn(process.execPath, ["-e", swapper, join(inside, "dir"), outside], { stdio: "ignore" });
  const ended = once(child, "exit");
  const end = performance.now() + seconds * 1000;
  const many = async <T>(verb: (name: string) => Promise<T>): Promise<(T | undefined)[]> =>
    Promise.all(Array.from({ length: 8 }, async (_, index) => run(verb(String(index)))));
  while (performance.now() < end) {
    const read = await many(async () => verbs.read("/dir/file"));
    count.read += read.filter((text) => text === outside).length;
    const listed = await many(async () => verbs.list("/dir"));
    count.listed += listed.filter((paths) => paths?.some((path) => path.endsWith("/secret"))).length;
    await many(async (name) => verbs.write(`/dir/written-${name}`, "x"));
    const written = readdirSync(outside).filter((name) => name.includes("written"));
    count.written += written.length;
    for (const name of written) rmSync(join(outside, name));
    for (const name of victims) writeFileSync(join(outside, name), "");
    await many(async (name) => verbs.write(`/dir/victim-${name}`, "x"));
    for (const name of victims) writeFileSync(join(outside, name), "");
    await many(async (name) => verbs.delete(`/dir/victim-${name}`));
    count.deleted += victims.filter((name) => !existsSync(join(outside, name))).length;
  }
  child.kill("SIGKILL");
  // The swapper was at work to the end.
  expect(await ended).toEqual([null, "SIGKILL"]);
  return count;
}

/** Checks the real path first, and uses the path then. */
function checkThenUse(inside: string): Verbs {
  const checked = async (path: string): Promise<string> => {
    const real = await realpath(join(inside, "dir"));
    if (!real.startsWith(inside)) throw new Error("outside");
    return join(inside, path);
  };
  return {
    read: async (path) => readFile(await checked(path), "utf8"),
    write: async (path, text) => writeFile(await checked(path), text),
    delete: async (path) => rm(await checked(path)),
    list: async (path) => readdirSync(await checked(path)).map((name) => `${path}/${name}`),
  };
}

function driven(inside: string): Verbs {
  const driver = new DirectoryDriver(inside);
  return {
    read: async (path) => {
      const bytes = await driver.read(path);
      return bytes && Buffer.from(bytes).toString();
    },
    write: async (path, text) => driver.write(path, Buffer.from(text)),
    delete: async (path) => driver.delete(path),
    async list(path) {
      const paths: string[] = [];
      for await (const entry of driver.list(path)) paths.push(entry.path);
      for await (const page of driver.listPaths(path)) paths.push(...page);
      return paths;
    },
  };
}

it.runIf(process.platform === "linux")(
  "acts on nothing outside the root while another process swaps a directory for a link",
  async () => {
    const control = await race(checkThenUse);
    console.log("check, then use", JSON.stringify(control));
    expect(Math.min(control.read, control.written + control.deleted)).toBeGreaterThan(0);
    const escapes = await race(driven);
    console.log("DirectoryDriver", JSON.stringify(escapes));
    expect(escapes).toMatchObject({ read: 0, written: 0, deleted: 0, listed: 0 });
    expect(escapes.done).toBeGreaterThan(100);
  },
);
