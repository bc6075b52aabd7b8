import { existsSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { runCli } from "./run-cli.js";
import { folderOf, manifest } from "./testing/package-folder.js";

async function run(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = [stdout, stderr].map((stream) => {
    const parts: string[] = [];
    stream.on("data", (data: Buffer) => parts.push(data.toString()));
    return parts;
  });
  const code = await runCli(args, { stdout: asTerminal(stdout), stderr: asTerminal(stderr), env: {} });
  return { code, out: (streams[0] ?? []).join(""), err: (streams[1] ?? []).join("") };
}

function asTerminal(stream: PassThrough): NodeJS.WriteStream {
  return stream as unknown as NodeJS.WriteStream;
}

describe("the command line", () => {
  const dir = folderOf({
    "one/package.json": manifest("one", { license: "MIT", main: "one.js" }),
    "one/one.js": "export function first() {}\n",
    "two/package.json": manifest("two", { license: "ISC" }),
    "two/index.js": 'import { first } from "one";\nexport class Second {}\n',
  });

  it("prints one JSON object on stdout with --json, and keeps what it is told to keep", async () => {
    const keep = folderOf({});
    const { code, out, err } = await run(["--json", "--dir", dir, "--keep", keep]);
    expect(code).toBe(0);
    expect(out.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({ packages: 2, answersCorrect: 12, answersTotal: 12 });
    expect(err).toContain("with Palimpsest");
    expect(existsSync(join(keep, "report.md"))).toBe(true);
    expect(existsSync(join(keep, "agent.db"))).toBe(true);
  });

  it("exits with 2 for what it cannot run, and shows how to call it", async () => {
    const unknown = await run(["--bogus"]);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain("Usage:");
    expect((await run(["--dir", folderOf({ "a.txt": "" })])).code).toBe(2);
    expect((await run(["--help"])).code).toBe(0);
  });
});
