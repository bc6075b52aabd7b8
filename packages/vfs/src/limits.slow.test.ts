import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { MemoryBackend } from "./backends/driver-backend.js";
import { DirectoryDriver } from "./drivers/directory-driver.js";

const root = mkdtempSync(join(tmpdir(), "vfs-limits-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it("writes, pages and searches 50 MB within seconds, with lines of any length", async () => {
  const backend = new MemoryBackend();
  const line = `${"x".repeat(63)}\n`;
  await backend.write("/lines", line.repeat(800_000));
  await backend.write("/line", `${"y".repeat(50_000_000)}needle`);
  const start = performance.now();
  const page = await backend.read("/lines", 799_999, 10);
  const tail = await backend.readBytes("/line", { start: 50_000_000, end: 50_000_006 });
  const { matches } = await backend.grep("needle", "/line");
  expect(performance.now() - start).toBeLessThan(8000);
  expect(page).toMatchObject({ content: line, startLine: 800_000, totalLines: 800_000 });
  expect(tail.content).toBe("needle");
  expect(matches).toHaveLength(1);
});

it("reports a full disk, and keeps the old content", async () => {
  const module = new URL("drivers/directory-driver.ts", import.meta.url).href;
  const script = `import { DirectoryDriver } from ${JSON.stringify(module)};
    const driver = new DirectoryDriver(${JSON.stringify(root)});
    await driver.write("/file", Buffer.from("kept"));
    const failure = await driver.write("/file", new Uint8Array(4e6)).catch((error) => error);
    process.stdout.write(JSON.stringify([failure.code, failure.message]));`;
  // Stands in for a full disk: limits every file of the process to 2,048 blocks.
  const limited = "trap '' XFSZ; ulimit -f 2048; exec \"$@\"";
  const node = [process.execPath, "--import", "tsx", "--input-type=module", "-e", script];
  const { stdout, stderr } = spawnSync("sh", ["-c", limited, "sh", ...node], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual(["unwritable", expect.stringMatching(/^\/file was not .* Free space/)]);
  expect(await new DirectoryDriver(root).read("/file")).toEqual(new Uint8Array(Buffer.from("kept")));
  expect(readdirSync(root)).toEqual(["file"]);
});
