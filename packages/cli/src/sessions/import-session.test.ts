import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fromStoredMessage, toStoredMessage, type StoredMessage } from "@palimpsest/context";
import {
  lostRule,
  madeStory,
  needle,
  opencodeFiles,
  opencodeRows,
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
import Database from "libsql";
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

/** Writes a session into a storage of opencode, and the same into a database of opencode. */
function writtenOpencode(): { readonly folder: string; readonly storage: string } {
  const storage = newPath();
  const folder = join(dirname(storage), "opencode");
  for (const [path, text] of opencodeFiles({ ...madeStory(), id: "ses_file" })) {
    mkdirSync(dirname(join(folder, "storage", path)), { recursive: true });
    writeFileSync(join(folder, "storage", path), text);
  }
  const database = new Database(join(folder, "opencode.db"));
  database.exec(`
    CREATE TABLE session (id text, title text, directory text, version text, revert text, time_created integer, time_updated integer);
    CREATE TABLE message (id text, session_id text, time_created integer, time_updated integer, data text);
    CREATE TABLE part (id text, message_id text, session_id text, time_created integer, time_updated integer, data text)`);
  for (const [table, row] of opencodeRows({ ...madeStory(), id: "ses_row" })) {
    const names = Object.keys(row);
    const marks = names.map(() => "?").join(", ");
    database.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${marks})`).run(Object.values(row));
  }
  database.close();
  return { folder, storage };
}

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

describe("sessions of opencode", () => {
  it("are imported from its files and from its database, each as a thread with its compaction", async () => {
    const { folder, storage } = writtenOpencode();
    const reports = await json<ImportReport[]>("import", folder, storage);
    expect(reports.map(({ thread }) => thread)).toEqual(["ses_row", "ses_file"]);
    for (const { thread, format, folds, broken, unknown } of reports) {
      expect({ format, folds, broken, unknown }).toEqual({
        format: "opencode-storage",
        folds: 1,
        broken: [],
        unknown: {},
      });
      const unfolded = await json<StoredMessage[]>("show", storage, thread, "--unfolded");
      const { happened } = await readAll(writeOpencode(madeStory()));
      expect(unfolded.map((message) => fromStoredMessage(message).text)).toEqual(
        happened.map(({ text }) => text),
      );
    }
  });

  it("keep the text of every file as it was", async () => {
    const { folder, storage } = writtenOpencode();
    await json("import", folder, storage);
    const lines = (await sourceOf(storage, "ses_file")).toString().trim().split("\n");
    const kept = lines.map((line) => JSON.parse(line) as { file: string; text: string });
    expect(new Map(kept.map(({ file, text }) => [file, text]))).toEqual(
      opencodeFiles({ ...madeStory(), id: "ses_file" }),
    );
  });

  it("are imported again after opencode has changed what was there", async () => {
    const { folder, storage } = writtenOpencode();
    await json("import", folder, storage);
    const file = join(folder, "storage/session/project/ses_file.json");
    writeFileSync(file, readFileSync(file, "utf8").replace("Rename", "Move"));
    const reports = await json<ImportReport[]>("import", file, storage);
    expect(reports).toMatchObject([{ thread: "ses_file", written: 1 }]);
    expect((await sourceOf(storage, "ses_file")).toString()).toContain("Move");
    expect((await run("verify", storage)).code).toBe(0);
  });

  it("are audited one by one, by the id in the database", async () => {
    const { folder } = writtenOpencode();
    const audits = await json<{ session: string }[]>("audit", join(folder, "opencode.db#ses_row"));
    expect(audits).toMatchObject([{ session: "ses_row" }]);
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

it("a session whose imported part has changed stops none of the others", async () => {
  const { file, storage } = written(writeClaudeCode(madeStory()), "a.jsonl");
  await json("import", file, storage);
  writeFileSync(file, writeClaudeCode(madeStory()).replace("Rename the heron", "Rename the egret"));
  writeFileSync(join(dirname(file), "b.jsonl"), writePi(madeStory()));
  const { code, out, err } = await run("import", dirname(file), storage, "--json");
  expect(code).toBe(1);
  expect((JSON.parse(out) as ImportReport[]).map(({ thread }) => thread)).toEqual(["b"]);
  expect(err).toContain("a.jsonl has changed in its first");
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

it("a session that is being written is imported up to its last whole line, and is no failure", async () => {
  const text = writeClaudeCode(madeStory());
  const { file, storage } = written(text.slice(0, -300));
  const { code, out } = await run("import", file, storage);
  expect(code).toBe(0);
  expect(out).toContain("it is still being written, or was cut off");
  expect((await sourceOf(storage)).equals(readFileSync(file))).toBe(true);
  writeFileSync(file, text);
  const [whole] = await json<ImportReport[]>("import", file, storage);
  expect(whole?.unfinished).toBeUndefined();
  expect((await sourceOf(storage)).equals(readFileSync(file))).toBe(true);
});

it.each([
  ["notes.jsonl", "# Notes\n", /notes\.jsonl is no session of/],
  ["empty.jsonl", "", /empty\.jsonl is empty: it holds no session/],
  ["data.bin", "\u0000\u0001\u0002", /data\.bin is no session of/],
  ["absent.jsonl", undefined, /There is no file .*absent\.jsonl/],
])("%s is refused with a sentence, and no storage is left behind", async (name, text, why) => {
  const storage = newPath();
  const file = join(dirname(storage), name);
  if (text !== undefined) writeFileSync(file, text);
  const { code, err } = await run("import", file, storage);
  expect(code).toBeGreaterThan(0);
  expect(err).toMatch(why);
  expect(existsSync(storage)).toBe(false);
  expect(existsSync(file)).toBe(text !== undefined);
});

it("a directory without sessions is refused, and no storage is left behind", async () => {
  const storage = newPath();
  const directory = join(dirname(storage), "none");
  mkdirSync(directory);
  expect((await run("import", directory, storage)).err).toContain("There is no session below");
  writeFileSync(join(directory, "package.json"), '{"name":"x"}');
  expect((await run("import", directory, storage)).err).toContain("package.json is no session of");
  expect(existsSync(storage)).toBe(false);
});

const textsOf = async (path: string, thread: string): Promise<readonly string[]> =>
  (await json<StoredMessage[]>("show", path, thread, "--unfolded")).map(
    (message) => fromStoredMessage(message).text,
  );

const linesOf = (session: string, suffix: string): readonly string[] =>
  writeClaudeCode(madeStory({ reads: 3 }))
    .trim()
    .split("\n")
    .map((line) => line.replace(/"sessionId":"[^"]*"/, `"sessionId":"${session}"`))
    .map((line) => line.replace(/"(uuid|parentUuid|logicalParentUuid|id)":"([^"]*)"/g, `"$1":"$2${suffix}"`));

it.each([
  ["begin in it", "null"],
  ["have begun elsewhere", '"elsewhere"'],
])(
  "two sessions that %s, interleaved in one file, become two threads, each of them whole",
  async (_, first) => {
    const [one = [], other = []] = [linesOf("one", ""), linesOf("other", "-b")].map((lines) =>
      lines.map((line) => line.replace('"parentUuid":null', `"parentUuid":${first}`)),
    );
    const mixed = one.flatMap((line, at) => [line, other[at] ?? ""]);
    const { file, storage } = written(`${mixed.join("\n")}\n`);
    const alone = written(`${one.join("\n")}\n`);
    const [report] = await json<ImportReport[]>("import", file, storage);
    await json("import", alone.file, alone.storage);
    expect(report?.subagents).toEqual(["session:other"]);
    const whole = await textsOf(alone.storage, "session");
    expect(whole.length).toBeGreaterThan(5);
    expect(await textsOf(storage, "session")).toEqual(whole);
    expect(await textsOf(storage, "session:other")).toEqual(whole);
  },
);

it("a line of several megabytes is kept in parts, and imported on like any other", async () => {
  const text = writeClaudeCode(madeStory());
  const large = `{"type":"of-the-future","value":"${"x".repeat(3_500_000)}"}\n`;
  const { file, storage } = written(text + large);
  await json("import", file, storage);
  expect((await sourceOf(storage)).equals(readFileSync(file))).toBe(true);
  const paths = await json<{ archive: readonly { path: string }[] }>("files", storage, "session");
  expect(JSON.stringify(paths).match(/\/context\/session\//g)?.length).toBeGreaterThanOrEqual(4);
  writeFileSync(file, text + large + large);
  await json("import", file, storage);
  expect((await sourceOf(storage)).equals(readFileSync(file))).toBe(true);
});
