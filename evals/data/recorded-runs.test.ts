import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkData } from "../run/check-data.js";
import { readBeam, readDialogues } from "./read-dialogues.js";
import { readTrajectories } from "./read-trajectories.js";
import { sessionSets } from "./run-sets.js";

const folder = mkdtempSync(join(tmpdir(), "recorded-"));
afterAll(() => rmSync(folder, { recursive: true }));

function folderWith(name: string, files: Readonly<Record<string, readonly string[]>>): string {
  const root = join(folder, name);
  mkdirSync(root);
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), lines.join("\n"));
  }
  return root;
}

const meta = JSON.stringify({ meta: {} });
const user = JSON.stringify({ role: "user", content: "Read config.yaml and set retries." });
const call = (name: string, args: object, id: string) =>
  JSON.stringify({ role: "assistant", content: "", tool_calls: [{ id, name, args }] });
const result = (content: string, id: string) =>
  JSON.stringify({ role: "tool", content, tool_call_id: id, name: "read" });
const session = [
  meta,
  user,
  call("read", { path: "config.yaml" }, "1"),
  result("retries_on_timeout: 3", "1"),
  call("edit", { old: "retries_on_timeout" }, "2"),
  result("done", "2"),
];

describe("recorded runs", () => {
  it("are left out where no call needs anything that came before", async () => {
    const greeting = [meta, JSON.stringify({ role: "user", content: "hi" })];
    const root = folderWith("needs", { "a-sessions/1.jsonl": session, "b-sessions/1.jsonl": greeting });
    expect((await sessionSets(root)).map(({ name }) => name)).toEqual(["a-sessions"]);
  });

  it.each([
    ["{", /1\.jsonl, line 3 cannot be read: it is not JSON/],
    ['{"role":"robot","content":""}', /1\.jsonl, line 3 is no message: no role/],
    ["null", /1\.jsonl, line 3 is no message/],
  ])("name the place of a line that is %s", async (line, message) => {
    const root = mkdtempSync(join(folder, "line-"));
    mkdirSync(join(root, "x-sessions"));
    writeFileSync(join(root, "x-sessions/1.jsonl"), `${meta}\n${user}\n${line}\n`);
    await expect(readTrajectories(root, { sets: ["x-sessions"] })).rejects.toThrow(message);
  });

  it("need no conversations and no chats beside the sessions", async () => {
    const root = folderWith("alone", { "a-sessions/1.jsonl": session });
    expect(readDialogues(root)).toBeUndefined();
    expect(readBeam(root)).toBeUndefined();
    expect(await readTrajectories(root, { sets: ["who-and-when"] })).toEqual([]);
  });

  it("are refused with the way out where a folder holds none", () => {
    const root = folderWith("none", { "notes/1.md": ["x"] });
    expect(() => checkData(root)).toThrow(/whose name ends in -sessions or -raw, or one of tau-bench/);
  });
});
