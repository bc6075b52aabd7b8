import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { newPath, removePaths, writeThreads } from "./testing/written-storage.js";

afterAll(removePaths);

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const shell = async (script: string, ...args: readonly string[]) =>
  promisify(execFile)("sh", ["-c", script, main, ...args]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { readonly code: number; readonly stdout: string; readonly stderr: string }) => error,
  );

it("palimpsest prints its version", async () => {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(manifest) as { readonly version: string };
  expect(await shell('node "$0" --version')).toMatchObject({ code: 0, stdout: `${version}\n` });
});

it.skipIf(!existsSync("/dev/full"))(
  "palimpsest says in one line that its output cannot be written, and exits with 1",
  async () => {
    const { code, stderr } = await shell('node "$0" --help > /dev/full');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^palimpsest: the output cannot be written: ENOSPC.*\n$/u) as string,
    });
  },
);

it.skipIf(!existsSync("/dev/full"))(
  "palimpsest ends its work when notices and progress cannot be written",
  async () => {
    const [path, prices] = [newPath(), newPath("prices.json")];
    await writeThreads(path);
    writeFileSync(prices, "{}");
    const bill = 'node "$0" bill "$1" one --prices "$2"';
    const seen = await shell(bill, path, prices);
    expect(seen.stderr).not.toBe("");
    const unseen = await shell(`${bill} 2> /dev/full`, path, prices);
    expect(unseen).toEqual({ code: 0, stdout: seen.stdout, stderr: "" });
  },
);

it("palimpsest mcp says that a message is too large, and ends, so that its client does not wait for ever", async () => {
  const path = newPath();
  await writeThreads(path);
  const server = spawn(process.execPath, [main, "mcp", path], { stdio: ["pipe", "ignore", "pipe"] });
  let said = "";
  server.stderr.on("data", (text: Buffer) => (said += text.toString()));
  server.stdin.on("error", () => undefined);
  // The pipe stays open: the server has to end by itself.
  server.stdin.write(Buffer.alloc(12_000_000, "x"));
  const [code] = (await once(server, "exit")) as readonly unknown[];
  expect({ code, said }).toEqual({
    code: 1,
    said: expect.stringMatching(/^palimpsest: The connection to the client has ended: .*\n$/u) as string,
  });
}, 30_000);

it("palimpsest backup names the copy that cannot be written, and not the storage", async () => {
  const path = newPath();
  await writeThreads(path);
  const { code, stderr } = await shell('node "$0" backup "$1" /proc/copy.db', path);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^palimpsest: The copy \/proc\/copy\.db cannot be written\..*\n$/u,
    ) as string,
  });
});
