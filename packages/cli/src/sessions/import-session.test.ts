import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fromStoredMessage, toStoredMessage, type StoredMessage } from "@palimpsest/context";
import {
  lostRule,
  madeStory,
  needle,
  readAll,
  writeClaudeCode,
  writeCodex,
  writeGeminiCli,
  writeLangGraph,
  writeMessages,
  writeOpencode,
  writePi,
} from "@palimpsest/sessions/testing";
import { VfsSaver } from "@palimpsest/checkpoint";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { json, run } from "../testing/run.js";
import { newPath, removePaths } from "../testing/written-storage.js";
import type { ImportReport } from "./import-session.js";

afterAll(removePaths);

const writers = [
  ["claude-code", writeClaudeCode, ".jsonl"],
  ["codex", writeCodex, ".jsonl"],
  ["pi", writePi, ".jsonl"],
  ["gemini-cli", writeGeminiCli, ".jsonl"],
  ["opencode", writeOpencode, ".json"],
  ["langgraph", writeLangGraph, ".json"],
  ["messages", writeMessages, ".jsonl"],
] as const;

/** Writes a session next to the path of a new storage. */
function written(text: string, name = "session.jsonl"): { readonly file: string; readonly storage: string } {
  const storage = newPath();
  const file = join(dirname(storage), name);
  writeFileSync(file, text);
  return { file, storage };
}

const stored = (messages: readonly StoredMessage[]): readonly StoredMessage[] =>
  messages.map((message) => toStoredMessage(fromStoredMessage(message)));

async function sourceOf(storage: string, thread = "session"): Promise<Buffer> {
  const copy = join(dirname(storage), `copy-${Math.random()}.jsonl`);
  await json("export", storage, thread, "--source", copy);
  return readFileSync(copy);
}

describe.each(writers)("a session of %s", (format, write, extension) => {
  it("becomes a thread that unfolds to what happened, and that gives its file back byte for byte", async () => {
    const text = write(madeStory());
    const { file, storage } = written(text, `session${extension}`);
    const [report] = await json<ImportReport[]>("import", file, storage);
    expect(report).toMatchObject({ format, thread: "session", folds: 1, broken: [], unknown: {} });
    const unfolded = await json<StoredMessage[]>("show", storage, "session", "--unfolded");
    const { happened } = await readAll(text);
    expect(stored(unfolded)).toEqual(happened.map((message) => toStoredMessage(message)));
    expect((await sourceOf(storage)).equals(readFileSync(file))).toBe(true);
    expect((await run("verify", storage)).code).toBe(0);
  });

  it("is imported once: a repeated import writes nothing", async () => {
    const { file, storage } = written(write(madeStory()), `session${extension}`);
    await json("import", file, storage);
    const before = await json("threads", storage);
    const [again] = await json<ImportReport[]>("import", file, storage);
    expect(again?.written).toBe(0);
    expect(await json("threads", storage)).toEqual(before);
  });
});

describe("an imported compaction", () => {
  it("is a genuine fold: folds lists it, search finds what it folded, and unfold opens it", async () => {
    const { file, storage } = written(writeClaudeCode(madeStory()));
    await json("import", file, storage);
    const folds = await json<{ kind: string; reason: string; messages: number }[]>(
      "folds",
      storage,
      "session",
    );
    expect(folds).toMatchObject([{ kind: "summary", reason: "auto" }]);
    const hits = await json<{ isInContext: boolean }[]>("search", storage, ...needle.split(" "));
    expect(hits).toMatchObject([{ isInContext: false }]);
    const shown = await json<StoredMessage[]>("show", storage, "session");
    expect(shown.map((message) => fromStoredMessage(message).text).join("\n")).not.toContain(lostRule);
  });

  it("has a certificate in the archive that says which rule of the user the summary has lost from sight", async () => {
    const { file, storage } = written(writeClaudeCode(madeStory()));
    await json("import", file, storage);
    const saver = VfsSaver.fromPath(storage, { readOnly: true });
    const { archive } = saver.files.thread("session");
    const found: string[] = [];
    for await (const { path } of archive.list("/context/certificates/"))
      found.push(await archive.readText(path));
    await saver.close();
    expect(found).toHaveLength(1);
    expect(found[0]?.split("## Retrievable at")[1]?.split("\n## ")[0]).toContain(lostRule);
  });
});

it("a session that grows is imported on, and ends as if it had been imported at once", async () => {
  const text = writeClaudeCode(madeStory({ reads: 3 }));
  const whole = written(text);
  await json("import", whole.file, whole.storage);
  const expected = await json("show", whole.storage, "session", "--unfolded");
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 200, max: text.length - 1 }), async (length) => {
      const { file, storage } = written(text.slice(0, length));
      await run("import", file, storage);
      writeFileSync(file, text);
      const [report] = await json<ImportReport[]>("import", file, storage);
      expect(report?.written).toBeGreaterThan(0);
      expect(await json("show", storage, "session", "--unfolded")).toEqual(expected);
      expect((await sourceOf(storage)).equals(Buffer.from(text))).toBe(true);
      expect((await run("verify", storage)).code).toBe(0);
    }),
    { numRuns: 6 },
  );
});

it("a session whose imported part has changed is refused, with its name and the way out", async () => {
  const text = writeClaudeCode(madeStory());
  const { file, storage } = written(text);
  await json("import", file, storage);
  writeFileSync(file, text.replace("Rename the heron", "Rename the egret"));
  const { code, err } = await run("import", file, storage);
  expect(code).toBe(1);
  expect(err).toContain("has changed in its first");
  expect(err).toContain("Import it under another file name.");
});

it("a directory is imported with all below it; files that are no sessions are named, and stop none of the others", async () => {
  const storage = newPath();
  const directory = join(dirname(storage), "projects");
  mkdirSync(join(directory, "deep"), { recursive: true });
  writeFileSync(join(directory, "deep", "one.jsonl"), writeClaudeCode(madeStory()));
  writeFileSync(join(directory, "two.jsonl"), writePi(madeStory()));
  writeFileSync(join(directory, "settings.json"), '{"theme":"dark"}');
  const { code, out, err } = await run("import", directory, storage, "--json");
  expect(code).toBe(1);
  expect((JSON.parse(out) as ImportReport[]).map(({ thread }) => thread)).toEqual(["one", "two"]);
  expect(err).toContain("settings.json is no session of");
});

it("a broken line is named with its number, and the session is imported around it", async () => {
  const lines = writeClaudeCode(madeStory()).split("\n");
  const { file, storage } = written([...lines.slice(0, 4), '{"type":"us', ...lines.slice(4)].join("\n"));
  const { code, out } = await run("import", file, storage, "--json");
  expect(code).toBe(1);
  expect((JSON.parse(out) as ImportReport[])[0]?.broken).toMatchObject([
    expect.stringMatching(/^line 5: it is not JSON/),
  ]);
  expect((await sourceOf(storage)).equals(readFileSync(file))).toBe(true);
});

it("a subagent becomes a thread beside the one of its session", async () => {
  const [first = "", ...rest] = writeClaudeCode(madeStory()).split("\n");
  const side = {
    isSidechain: true,
    agentId: "helper",
    parentUuid: null,
    uuid: "side-1",
    sessionId: "s",
    version: "2.1.42",
  };
  const said = { type: "user", message: { role: "user", content: "Look for the alias." } };
  const { file, storage } = written(
    [first, ...rest.slice(0, 3), JSON.stringify({ ...side, ...said }), ...rest.slice(3)].join("\n"),
  );
  const [report] = await json<ImportReport[]>("import", file, storage);
  expect(report?.subagents).toEqual(["session:helper"]);
  const shown = await json<StoredMessage[]>("show", storage, "session:helper");
  expect(shown.map((message) => fromStoredMessage(message).text)).toEqual(["Look for the alias."]);
});
