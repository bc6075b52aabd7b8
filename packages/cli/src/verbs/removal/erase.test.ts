import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MemorySaver } from "@langchain/langgraph";
import { VfsSaver, type Erasure } from "@palimpsest/checkpoint";
import { foldOf, unfold } from "@palimpsest/context";
import { searchHistoryTool } from "@palimpsest/langgraph";
import { RecallIndex } from "@palimpsest/recall";
import { DirectoryDriver } from "@palimpsest/vfs";
import { afterAll, describe, expect, it } from "vitest";
import {
  erasedImage,
  hosts,
  plantThread,
  rawForms,
  secretsFor,
  type Host,
} from "../../testing/planted-thread.js";
import { newSchema } from "../../testing/postgres-schema.js";
import { json, run } from "../../testing/run.js";
import { newPath, removePaths } from "../../testing/written-storage.js";

afterAll(removePaths);

const reason = "key leaked";

/** Storages with uncompressed values, so that a search through their bytes means something. */
const storages: Readonly<Record<string, () => Promise<VfsSaver>>> = {
  SQLite: async () => VfsSaver.fromPath(newPath(), { compress: false }),
  Postgres: async () => VfsSaver.fromPostgres(await newSchema(), { compress: false }),
  "a directory": async () =>
    VfsSaver.wrap(new MemorySaver(), { blobs: new DirectoryDriver(newPath("files")), compress: false }),
};

async function threadOf(saver: VfsSaver, threadId: string) {
  const messages = [];
  const config = { configurable: { thread_id: threadId } };
  for await (const message of saver.readThread(config, { unfold })) messages.push(message);
  return messages;
}

describe.each(Object.keys(storages))("erase in %s", (name) => {
  it("leaves a folded thread whole, legal and genuine, with tombstones in the place of texts", async () => {
    const saver = await storages[name]!();
    const planted = secretsFor(16);
    const said = await plantThread(saver, planted, { threadId: "t" });
    const other = await plantThread(saver, secretsFor(4, 100), { threadId: "u" });
    const match = planted.map(({ secret }) => secret);
    const { tombstone, threads, failed } = await saver.erase({ match, reason });
    expect([threads.map(({ threadId }) => threadId), failed]).toEqual([["t"], []]);
    const images = (list: typeof said) => list.map((message) => erasedImage(message, planted, tombstone));
    const back = await threadOf(saver, "t");
    expect(images(back)).toEqual(images(said));
    expect(back.filter((message) => foldOf(message) !== undefined)).toEqual([]);
    expect(await threadOf(saver, "u")).toMatchObject(other.map(({ id, content }) => ({ id, content })));
    // A stand-in that counts as forged would not unfold any more.
    const more = await plantThread(saver, secretsFor(6, 200), { threadId: "t", first: 16 });
    const whole = await threadOf(saver, "t");
    expect(images(whole)).toEqual(images([...said, ...more]));
    expect(JSON.stringify(whole)).not.toContain("palimpsest_refused");
    const damage: unknown[] = [];
    for (const threadId of ["t", "u"]) await saver.verify(threadId, (part) => void damage.push(part));
    expect(damage).toEqual([]);
    await saver.close();
  }, 60_000);
});

it.each(Object.keys(hosts) as Host[])(
  "a thread of %s goes on after an erasure",
  async (host) => {
    const saver = VfsSaver.fromPath(newPath());
    const planted = secretsFor(16);
    const said = await plantThread(saver, planted, { threadId: "t", host });
    const { tombstone, failed } = await saver.erase({ match: planted.map(({ secret }) => secret), reason });
    const more = await plantThread(saver, secretsFor(8, 200), { threadId: "t", first: 16, host });
    const images = (list: typeof said) => list.map((message) => erasedImage(message, planted, tombstone));
    const whole = await threadOf(saver, "t");
    expect(failed).toEqual([]);
    expect(images(whole)).toEqual(images([...said, ...more]));
    const state = JSON.stringify((await saver.getTuple({ configurable: { thread_id: "t" } }))?.checkpoint);
    expect(state).toContain("palimpsest");
    expect(state).not.toContain("palimpsest_refused");
    for (const { secret } of planted) expect(state).not.toContain(secret);
    await saver.close();
  },
  60_000,
);

it("no byte of a SQLite file and of its index holds an erased text, in any form", async () => {
  const path = newPath();
  const saver = VfsSaver.fromPath(path, { compress: false });
  const planted = secretsFor(16);
  await plantThread(saver, planted, { threadId: "t" });
  const index = RecallIndex.fromPath(join(dirname(path), "index.db"));
  const tool = searchHistoryTool({ files: saver.files, index });
  const config = { configurable: { thread_id: "t" } };
  const call = { name: tool.name, args: { query: "fnord report" }, id: "1", type: "tool_call" as const };
  await tool.invoke(call, config);
  const forms = planted.flatMap(({ secret }) => rawForms(secret));
  const holding = () =>
    readdirSync(dirname(path)).filter((file) => {
      const bytes = readFileSync(join(dirname(path), file));
      return forms.some((form) => bytes.includes(form));
    });
  expect(holding().length).toBeGreaterThan(1);
  const report = await saver.erase({ match: planted.map(({ secret }) => secret), reason, index });
  expect(report.left).toEqual([expect.stringContaining("Backups")]);
  await index.close();
  await saver.close();
  expect(holding()).toEqual([]);
}, 60_000);

describe("palimpsest erase", () => {
  it("says what it would erase, and erases only with --yes", async () => {
    const path = newPath();
    const saver = VfsSaver.fromPath(path);
    const [{ secret } = { secret: "" }] = secretsFor(1);
    await plantThread(saver, secretsFor(3), { threadId: "t" });
    await saver.close();
    const from = newPath("texts.txt");
    writeFileSync(from, `${secret}\n`);
    const args = ["erase", path, "--match-from", from, "--reason", reason];
    const asked = await run(...args);
    expect([asked.code, asked.out]).toEqual([
      1,
      expect.stringMatching(/^Would erase in 1 thread:\n {2}t: .*--yes/su),
    ]);
    expect((await run("search", path, secret)).out).toContain("#");
    expect((await run(...args, "--dry-run")).code).toBe(0);
    expect(await json(...args, "--yes")).toMatchObject({ threads: [{ threadId: "t" }], failed: [] });
    expect((await run("search", path, secret)).out).toBe("Nothing found.\n");
    expect((await run("show", path, "t")).out).toContain("key leaked");
    expect((await run(...args, "--yes")).out).toMatch(/^Nothing matches\.\n/u);
    expect((await run("verify", path)).code).toBe(0);
  });

  it("erases whole threads", async () => {
    const path = newPath();
    const saver = VfsSaver.fromPath(path);
    for (const thread of ["t", "u"]) await plantThread(saver, secretsFor(2), { threadId: thread });
    await saver.close();
    expect((await run("erase", path, "t", "--reason", reason, "--yes")).out).toContain("t: the whole thread");
    expect(await json("threads", path)).toMatchObject([{ thread: "u" }]);
  });

  it.each([["--dry-run"], ["--yes"]])(
    "says with %s that nothing is stored of a thread, as if its id is mistyped",
    async (flag) => {
      const path = newPath();
      const saver = VfsSaver.fromPath(path);
      await plantThread(saver, secretsFor(2), { threadId: "t" });
      await saver.close();
      const { code, out } = await run("erase", path, "T", "--reason", reason, flag);
      expect([code, out]).toEqual([
        1,
        expect.stringMatching(/^T: nothing is stored of this thread\. Check its id/u),
      ]);
      expect(out).not.toMatch(/erased in/iu);
      expect(await json("threads", path)).toMatchObject([{ thread: "t" }]);
    },
  );

  it("erases the threads of a scope with its notes, and a text in the turns of a scope", async () => {
    const path = newPath();
    const saver = VfsSaver.fromPath(path, { compress: false });
    const planted = secretsFor(4);
    for (const thread of ["t", "u", "v"]) await plantThread(saver, planted, { threadId: thread });
    await saver.close();
    await run("consolidate", path, "ada", "t", "u");
    await run("consolidate", path, "bob", "v");
    const [{ secret } = { secret: "" }] = planted;
    const from = newPath("texts.txt");
    writeFileSync(from, secret);
    const whole = await json<Erasure>("erase", path, "--scope", "ada", "--reason", reason, "--yes");
    expect(whole.threads.map(({ threadId }) => threadId)).toEqual(["t", "u"]);
    expect(await json("threads", path)).toMatchObject([{ thread: "v" }]);
    const texts = ["erase", path, "--scope", "bob", "--match-from", from, "--reason", reason, "--yes"];
    expect(await json(...texts)).toMatchObject({ threads: [{ threadId: "v" }], elsewhere: [] });
    expect(await json("consolidate", path, "ada")).toMatchObject({ threads: 0 });
    expect(await json("consolidate", path, "bob")).toMatchObject({ threads: 1 });
    for (const form of rawForms(secret)) expect(readFileSync(path).includes(form)).toBe(false);
  });

  it.each([
    [["t"], /--reason is missing/u],
    [["--reason", "asked"], /Pass threads, --scope, --match-from or --expression/u],
    [["t", "--reason", "asked", "--yes", "--dry-run"], /--dry-run erases nothing and --yes erases/u],
    [["--reason", "asked", "--expression", "("], /--expression is \(: /u],
    [["--reason", "asked", "--match-from", "/absent.txt"], /\/absent\.txt cannot be read/u],
  ])("%j is refused", async (args, message) => {
    const path = newPath();
    await VfsSaver.fromPath(path).close();
    const { code, err } = await run("erase", path, ...args);
    expect(code).toBeGreaterThan(0);
    expect(err).toMatch(message);
  });
});
