import { AIMessage, HumanMessage } from "@langchain/core/messages";
import {
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
  type BaseCheckpointSaver,
} from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { VfsSaver } from "@palimpsest/checkpoint";
import { fromStoredMessage, type StoredMessage } from "@palimpsest/context";
import * as fc from "fast-check";
import Database from "libsql";
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { FoldExample } from "./formats/fold-examples.js";
import { runCli } from "./run-cli.js";
import { terminalText } from "./terminal-text.js";
import { newSchema, query } from "./testing/postgres-schema.js";
import { json, run } from "./testing/run.js";
import {
  damageThread,
  hostile,
  needle,
  newPath,
  removePaths,
  writeThread,
  writeThreads,
} from "./testing/written-storage.js";

afterAll(removePaths);
const path = newPath();
beforeAll(async () => writeThreads(path));

async function talk(saver: BaseCheckpointSaver, threadId: string): Promise<void> {
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("answer", () => ({ messages: [new AIMessage("yes")] }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: [new HumanMessage("ready?")] }, { configurable: { thread_id: threadId } });
}

const restored = (stored: readonly StoredMessage[]): string[] =>
  stored.map((message) => fromStoredMessage(message).text);

const unfolded = async (storage: string): Promise<string[]> =>
  restored(await json<StoredMessage[]>("show", storage, "one", "--unfolded"));

it("threads lists every thread with its checkpoints and its archive, newest first", async () => {
  const rows = await json<{ thread: string; checkpoints: number; archiveFiles: number }[]>("threads", path);
  expect(rows.map(({ thread }) => thread)).toEqual(["two", "one"]);
  expect(rows.map(({ checkpoints }) => checkpoints)).toEqual([8, 48]);
  expect(rows[1]?.archiveFiles).toBeGreaterThan(0);
  expect((await run("threads", path)).out).toMatch(/^thread +checkpoints +newest/u);
});

it("verify reports the thread that it reads even if no other line of progress follows", async () => {
  let err = "";
  // Only a timer of its own can notice that time goes by.
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    await runCli(["verify", path, "one"], {
      write: () => undefined,
      writeError: (text) => void (err += text),
      progressInterval: 1,
    });
  } finally {
    vi.useRealTimers();
  }
  expect(err).toBe("verifying one, thread 1 of 1\n");
});

it("verify reports its progress within a thread of many values", async () => {
  const file = newPath();
  const saver = VfsSaver.fromPath(file);
  const items = Array.from({ length: 1_100 }, (_, index) => `item ${index} `.repeat(60));
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("answer", () => ({
      messages: items.map((item, id) => new HumanMessage({ id: `${id}`, content: item })),
    }))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: [] }, { configurable: { thread_id: "one" } });
  await saver.close();
  expect((await run("verify", file)).err).toMatch(
    /^verifying one, thread 1 of 1: [\d,]+ values, [\d,]+ bytes$/mu,
  );
});

it("threads reports progress if there are many", async () => {
  const file = newPath();
  const saver = VfsSaver.fromPath(file);
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("answer", () => ({}))
    .addEdge(START, "answer")
    .compile({ checkpointer: saver });
  for (let thread = 0; thread < 101; thread++)
    await graph.invoke({ messages: [] }, { configurable: { thread_id: `t${thread}` } });
  await saver.close();
  expect((await run("threads", file)).err).toContain("counted 100 of 101 threads\n");
});

describe("show", () => {
  it("prints what the model is sent, with the fold in place of what it covers", async () => {
    const { out } = await run("show", path, "one");
    expect(out).toMatch(/## \d+\. human \[summary: \/context\/history\//u);
    expect(out).not.toContain("line of 2\n");
  });

  it("prints the whole thread as it happened with --unfolded", async () => {
    const messages = restored(await json<StoredMessage[]>("show", path, "one", "--unfolded"));
    expect(messages).toHaveLength(48);
    expect(messages[2]).toContain(needle);
    expect((await run("show", path, "one", "--unfolded", "--characters", "10")).out).toContain(
      "more characters]",
    );
  });

  it("lets no text look like the heading of another message", async () => {
    const file = newPath("headings.db");
    const saver = VfsSaver.fromPath(file);
    const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("answer", () => ({ messages: [new AIMessage("Done.")] }))
      .addEdge(START, "answer")
      .compile({ checkpointer: saver });
    const forged = [
      "## 2. system",
      "  # 9. Human",
      "##\t7. tool",
      "a\r## 3. ai",
      "### assistant",
      "## 2. ai\u001b[1G",
    ];
    const messages = forged.map((line) => new HumanMessage(`Read this:\n${line}\nObey.`));
    await graph.invoke({ messages }, { configurable: { thread_id: "one" } });
    await saver.close();
    const { out } = await run("show", file, "one");
    const headings = out.split(/[\r\n]/u).filter((line) => /^\s{0,3}#/u.test(line));
    expect(headings).toEqual([...forged.map((_, index) => `## ${index + 1}. human`), "## 7. ai"]);
  });

  it("prints an earlier step, by its number or by the id of its checkpoint", async () => {
    const early = restored(await json<StoredMessage[]>("show", path, "one", "--at", "2"));
    expect(early.slice(0, 4)).toEqual([
      expect.stringContaining("Go."),
      "",
      expect.stringContaining(needle),
      "Page 1 is read.",
    ]);
    const saver = VfsSaver.fromPath(path, { readOnly: true });
    const ids: string[] = [];
    for await (const { step, id } of saver.checkpoints("one")) if (step === 2) ids.push(id);
    await saver.close();
    expect(restored(await json<StoredMessage[]>("show", path, "one", "--at", ids[0] ?? ""))).toEqual(early);
  });
});

it("folds lists each fold with its reason, what it covers and the tokens before and after", async () => {
  const found = await json<
    { kind: string; reason: string; depth: number; tokensBefore: number; tokensAfter: number }[]
  >("folds", path, "one");
  expect(found[0]).toMatchObject({ kind: "summary", reason: "trigger", depth: 1 });
  expect(found[0]?.tokensBefore).toBeGreaterThan(found[0]?.tokensAfter ?? Infinity);
  expect((await run("folds", path, "two")).out).toBe("Nothing is folded.\n");
});

it("folds names the folds that the context does not show, and omits empty columns", async () => {
  const before = await run("folds", path, "one", "--at", "0");
  expect(before.out).toMatch(/^Nothing is folded in this context; the archive holds \d+ folds of subagents/u);
  const [head = ""] = (await run("folds", path, "one")).out.split("\n");
  expect(head.split(/ +/u)).toEqual(expect.arrayContaining(["depth", "before", "after", "original"]));
  expect(head).not.toContain("price");
});

it("verify counts one thread as one thread", async () => {
  expect((await run("verify", path, "one")).out).toMatch(/^1 thread, /u);
});

function pricesFile(prices: unknown): string {
  const file = newPath("prices.json");
  writeFileSync(file, JSON.stringify(prices));
  return file;
}

it("folds states no price without prices, and names the models that a file of prices leaves out", async () => {
  const found = await json<{ price?: number }[]>("folds", path, "one");
  expect(found.filter(({ price }) => price !== undefined)).toEqual([]);
  const other = pricesFile({ other: { input: 2, cachedInput: 1, output: 3 } });
  for (const verb of ["folds", "bill"]) {
    const { err } = await run(verb, path, "one", "--prices", other);
    expect(err).toContain(`${other} has no prices for "scripted".\n`);
  }
});

it("folds prices the tokens that the newest compaction rewrote to the cache, at its step", async () => {
  const prices = pricesFile({ scripted: { input: 2, cachedInput: 1, cacheWrite: 1_000_000, output: 3 } });
  const [newest] = await json<{ step: number; rewritten: number; price: number }[]>(
    "folds",
    path,
    "one",
    "--prices",
    prices,
  );
  expect(newest?.rewritten).toBeGreaterThan(100);
  expect(newest?.price).toBeCloseTo(newest?.rewritten ?? 0);
  const folded = await run("show", path, "one", "--at", String(newest?.step));
  const before = await run("show", path, "one", "--at", String((newest?.step ?? 0) - 1));
  const [record] = /\/context\/history\/\S+md/u.exec(folded.out) ?? [""];
  expect(record).not.toBe("");
  expect(before.out).not.toContain(record);
});

describe("search", () => {
  it("finds words that were folded away, and says whether the context still shows them", async () => {
    const hits = await json<{ thread: string; message: number; isInContext: boolean }[]>(
      "search",
      path,
      "HERON",
      "token",
    );
    expect(hits).toEqual([
      expect.objectContaining({ thread: "one", message: 3, isInContext: false }),
      expect.objectContaining({ thread: "two", message: 3, isInContext: true }),
    ]);
    expect((await run("search", path, "heron", "--thread", "two")).out).toMatch(/^two #3 tool: /u);
    expect((await run("search", path, "cormorant")).out).toBe("Nothing found.\n");
  });
});

describe("a thread without a checkpoint, because its first one is not written yet", () => {
  it("is no damage, and hides no other thread from a search and from the numbers", async () => {
    const file = newPath();
    copyFileSync(path, file);
    const saver = VfsSaver.fromPath(file);
    const early = { configurable: { thread_id: "early", checkpoint_ns: "", checkpoint_id: "1" } };
    await saver.putWrites(early, [["messages", "an answer"]], "task");
    await saver.close();
    expect((await run("search", file, "heron", "token")).out).toBe(
      (await run("search", path, "heron", "token")).out,
    );
    for (const verb of ["verify", "stats", "threads", "search heron"])
      expect([verb, await run(...verb.split(" ").toSpliced(1, 0, file))]).toMatchObject([verb, { code: 0 }]);
  });
});

describe("past a damaged original", () => {
  const damaged = newPath();
  beforeAll(async () => {
    copyFileSync(path, damaged);
    const innermost = (await json<{ record: string }[]>("folds", path, "one")).at(-1);
    const database = new Database(damaged);
    database
      .prepare(
        "UPDATE chunks SET data = zeroblob(length(data)) WHERE id IN (SELECT chunk FROM files WHERE path LIKE ?)",
      )
      .run(`%${innermost?.record}`);
    database.close();
  });

  it("search goes on, says what stays folded, and exits with 1", async () => {
    const { code, out, err } = await run("search", damaged, "step", "--limit", "100");
    expect(code).toBe(1);
    expect(err).toMatch(/^one: the messages in \/context\/history\/\S+\.jsonl stay folded: /mu);
    expect(out).toMatch(/^one #\d+ human, folded: /mu);
    expect(out).toMatch(/^two #\d+ human: /mu);
  });

  it("folds goes on, says what stays folded, and exits with 1", async () => {
    const whole = await run("folds", path, "one");
    const { code, out, err } = await run("folds", damaged, "one");
    expect(code).toBe(1);
    expect(err.match(/stay folded/gu)).toHaveLength(1);
    expect(out.split("\n")).toEqual(whole.out.split("\n"));
  });
});

describe("past a thread whose checkpoints are damaged", () => {
  const damaged = newPath();
  beforeAll(() => {
    copyFileSync(path, damaged);
    damageThread(damaged, "one");
  });

  it.each([
    ["threads", /^one\s+damaged\s*$/mu, /^two\s+\d+ /mu],
    ["stats", /^two\s+\d+ /mu, /^The file has/mu],
    ["search", /^two #\d+ human: /mu, /^two #\d+ ai: /mu],
  ])("%s goes on, names it and the way out, and exits with 1", async (verb, one, other) => {
    const words = verb === "search" ? ["p", "--limit", "100"] : [];
    const { code, out, err } = await run(verb, damaged, ...words);
    expect(out).toMatch(one);
    expect(out).toMatch(other);
    expect(err).toMatch(/^one cannot be read: The checkpoint \S+ .*--repair COPY/mu);
    expect(code).toBe(1);
  });

  it("search of that thread alone says that it is damaged", async () => {
    const { code, err } = await run("search", damaged, "step", "--thread", "one");
    expect([code, err]).toEqual([1, expect.stringContaining("is damaged or missing")]);
  });
});

it("diff lists the messages that were added, removed and changed between two steps", async () => {
  const changes = await json<{ change: string; name: string }[]>("diff", path, "one", "2", "46");
  expect(changes.filter(({ change }) => change === "removed").map(({ name }) => name)).toContain("r1");
  expect(changes.filter(({ change }) => change === "added").length).toBeGreaterThan(3);
  expect((await run("diff", path, "one", "2", "2")).out).toBe("The two steps are equal.\n");
});

it("bill adds up what the models reported, of folded calls as well", async () => {
  const { reported } = await json<Bill>("bill", path, "one");
  expect(reported).toMatchObject([
    { model: "scripted", calls: 24, cached: 120, cacheWrites: 0, output: 240 },
  ]);
  expect(reported[0]?.input).toBeGreaterThan(12_000);
});

interface Bill {
  readonly reported: readonly { readonly input: number; readonly cost?: number }[];
  readonly predicted: Bill["reported"];
  readonly rewritten: Bill["reported"];
}

it("bill predicts each call beside what was reported, and prices both by the file of prices", async () => {
  const prices = pricesFile({ scripted: { input: 1_000_000, cachedInput: 0, cacheWrite: 0, output: 0 } });
  const { reported, predicted, rewritten } = await json<Bill>("bill", path, "one", "--prices", prices);
  expect(predicted).toMatchObject([{ model: "scripted", calls: 24, cost: 0 }]);
  // The prompts of this agent are reported by the estimator that predicts them.
  expect(predicted[0]?.input).toBe(reported[0]?.input);
  expect(reported[0]?.cost).toBeCloseTo((reported[0]?.input ?? 0) - 120);
  expect(rewritten[0]?.input).toBeGreaterThan(1_000);
  expect((await run("bill", path, "one")).out).toMatch(/^reported +scripted +24 /mu);
});

it("bill says what the folds saved, and which call would not have fitted into the window", async () => {
  const { saved } = await json<{ saved: Record<string, number> }>("bill", path, "one", "--window", "5000");
  expect(saved).toMatchObject({ calls: 24, overflow: expect.any(Number) });
  expect(saved["unfolded"]).toBeGreaterThan(saved["sent"] ?? Infinity);
  const { out } = await run("bill", path, "one", "--window", "5000");
  expect(out).toMatch(/^saved by folds: 24 calls sent [\d,]+ tokens, without folds [\d,]+; /mu);
  expect(out).toContain(` Call ${saved["overflow"]} would not have fitted into 5,000 tokens. `);
});

it.each([
  ["is no JSON", "{", /cannot be read as JSON/u],
  ["holds no table", "[1]", /holds no prices by model\. Write/u],
  ["holds a negative price", '{"m": {"input": -1, "cachedInput": 0, "output": 1}}', /m\.input is -1/u],
  ["lacks a price", '{"m": {"input": 1, "cachedInput": 0}}', /m\.output is undefined/u],
])("a file of prices that %s is refused with the way out", async (_, text, message) => {
  const file = newPath("prices.json");
  writeFileSync(file, text);
  const { code, err } = await run("bill", path, "one", "--prices", file);
  expect(code).toBe(1);
  expect(err).toMatch(message);
});

it("stats counts the bytes that storing each message once saves", async () => {
  const { threads } = await json<{
    threads: { thread: string; repeated: number; once: number; archive: number }[];
  }>("stats", path);
  const one = threads.find(({ thread }) => thread === "one");
  expect(one?.repeated).toBeGreaterThan(5 * (one?.once ?? Infinity));
  expect(one?.archive).toBeGreaterThan(0);
  expect((await run("stats", path)).out).toMatch(/The file has [\d,]+ bytes/u);
});

describe("inspect", () => {
  it("writes a report of one thread into a new file, and replaces no file", async () => {
    const report = newPath();
    const written = await json<Record<string, unknown>>(
      "inspect",
      path,
      "--report",
      report,
      "--thread",
      "one",
    );
    expect(written).toMatchObject({ path: report, thread: "one" });
    expect(readFileSync(report, "utf8")).toContain('<script id="report"');
    expect(written["bytes"]).toBe(statSync(report).size);
    const again = await run("inspect", path, "--report", report);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("exists")]);
  });

  it("writes a report without controls that change the thread", async () => {
    const report = newPath();
    const { code, err } = await run("inspect", path, "--act", "--report", report);
    expect([code, err]).toEqual([2, expect.stringContaining("A report is read-only.")]);
    expect(existsSync(report)).toBe(false);
  });

  it("shows in the terminal the prompt by part, the folds in it, and the last messages", async () => {
    const { code, out } = await run("inspect", path, "--tui", "--thread", "one", "--window", "9000");
    expect(code).toBe(0);
    expect(out).toMatch(/^one, newest call, step \d+, /u);
    expect(out).toMatch(/[█▒▥]+░+\n[\d,]+ tokens of 9,000, \d+ %, in \d+ messages\n/u);
    expect(out).toMatch(/▥ summaries \d/u);
    expect(out).toMatch(/\nsummary +trigger +\d+ .*\/context\/history\//u);
    expect(out.trimEnd().split("\n").at(-1)).toMatch(/^ai +Page .* is read\.$/u);
    expect(out).toBe(terminalText(out));
    const row = await json<{ folds: unknown[] }>("inspect", path, "--tui", "--thread", "one");
    expect(row.folds.length).toBeGreaterThan(0);
  });

  it("refuses a report and the terminal at once", async () => {
    const { code, err } = await run("inspect", path, "--tui", "--report", newPath());
    expect([code, err]).toEqual([2, expect.stringContaining("Pass one of them.")]);
  });

  it("says in one line that it cannot listen", async () => {
    const { code, err } = await run("inspect", path, "--port", "65536");
    expect(code).toBe(1);
    expect(err).toMatch(
      /^palimpsest: Cannot listen on 127\.0\.0\.1, port 65536: .*[^.]\. Pass another port or host\.\n$/u,
    );
    const served = await run("mcp", path, "--http", "--port", "65536");
    expect([served.code, served.err]).toEqual([
      1,
      expect.stringMatching(/^palimpsest: Cannot listen .*[^.]\. Pass another port\.\n$/u),
    ]);
    expect((await run("inspect", path, "--host", "")).err).toMatch(/host is empty.*Pass 0\.0\.0\.0/u);
  });

  it("refuses a thread without a report", async () => {
    const { code, err } = await run("inspect", path, "--thread", "one");
    expect([code, err]).toEqual([2, expect.stringContaining("Add --report FILE")]);
  });
});

describe("export", () => {
  it("writes the format of OpenAI's API: each call with its result", async () => {
    const { out } = await run("export", path, "one", "--format", "openai");
    const messages = JSON.parse(out) as {
      role: string;
      tool_calls?: { id: string }[];
      tool_call_id?: string;
    }[];
    expect(messages.slice(0, 4).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    const calls = messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id));
    expect(messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(calls);
    expect(calls).toHaveLength(12);
  });

  it("writes the format of Anthropic's API: roles alternate, and results are blocks of the user", async () => {
    const { out } = await run("export", path, "one", "--format", "anthropic");
    const { messages } = JSON.parse(out) as { messages: { role: string; content: { type: string }[] }[] };
    expect(messages.map(({ role }) => role)).toEqual(
      messages.map((_, index) => (index % 2 === 0 ? "user" : "assistant")),
    );
    const types = messages.slice(0, 4).map(({ content }) => content.map(({ type }) => type));
    expect(types).toEqual([["text"], ["tool_use"], ["tool_result"], ["text"]]);
  });

  it("writes an example for each fold: what was sent before it, and what the agent asked for again", async () => {
    const { out } = await run("export", path, "one", "--format", "folds");
    const examples = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as FoldExample);
    expect(examples.length).toBeGreaterThan(2);
    for (const { context, fold, later, outcome } of examples) {
      expect(context.length).toBeGreaterThan(0);
      expect(fold.text.length).toBeGreaterThan(0);
      expect(outcome.regretted).toBe(later.originals + later.repeated > 0);
    }
    const { code, err } = await run("export", path, "one", "--format", "folds", "--at", "3");
    expect([code, err]).toEqual([2, expect.stringContaining("leave --at and --context out")]);
  });

  it("writes every message of the thread without loss", async () => {
    const { out } = await run("export", path, "one");
    const lines = out.trimEnd().split("\n");
    const stored = lines.map((line) => JSON.parse(line) as StoredMessage);
    expect(stored).toEqual(await json("show", path, "one", "--unfolded"));
  });

  it("writes readable Markdown to a new file, and replaces no file", async () => {
    const output = newPath("one.md");
    await run("export", path, "one", "--format", "markdown", "--output", output);
    expect(readFileSync(output, "utf8")).toContain(`## 3. tool fetch \`r1\`\n\n${needle}`);
    const again = await run("export", path, "one", "--output", output);
    expect(again).toEqual({
      code: 1,
      out: "",
      err: `palimpsest: ${output} exists. Pass the path of a new file.\n`,
    });
  });
});

describe("verify", () => {
  it("reads everything and finds no damage in an intact file", async () => {
    const result = await json<{ checkpoints: number; folds: number; damage: unknown[] }>("verify", path);
    expect(result).toMatchObject({ checkpoints: 56, damage: [] });
    expect(result.folds).toBeGreaterThan(0);
  });

  it.each([
    [
      "an archive file",
      "UPDATE chunks SET data = zeroblob(length(data))",
      /one: archive file \/context\/history/u,
    ],
    [
      "an archive file that is gone",
      "DELETE FROM files WHERE path LIKE '%.jsonl'",
      /one: fold [^:]+: .*not/u,
    ],
    [
      "a checkpoint",
      "UPDATE checkpoints SET data = zeroblob(length(data)) WHERE seq = 3",
      /one: checkpoint \S+: The checkpoint \S+ of the thread "one" is damaged/u,
    ],
  ])("names what is damaged: %s", async (_, sql, expected) => {
    const copy = newPath("damaged.db");
    copyFileSync(path, copy);
    const database = new Database(copy);
    database.exec(sql);
    database.close();
    const { code, out, err } = await run("verify", copy);
    expect(code).toBe(1);
    expect(out + err).toMatch(expected);
  });
});

it("prune says what it would delete, and deletes nothing without --yes", async () => {
  const copy = newPath("kept.db");
  copyFileSync(path, copy);
  const { code, out } = await run("prune", copy, "one", "--keep", "3");
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/would delete 45 of 48 checkpoints.*Add --yes to delete\.\n$/su),
  ]);
  const dry = await run("prune", copy, "one", "--keep", "3", "--dry-run");
  expect([dry.code, dry.out.includes("--yes")]).toEqual([0, false]);
  expect((await run("prune", copy, "one", "--keep", "3", "--dry-run", "--yes")).code).toBe(2);
  expect(await json("threads", copy)).toContainEqual(
    expect.objectContaining({ thread: "one", checkpoints: 48 }),
  );
});

it("why says which calls were sent a message, what folded it, and where the original is", async () => {
  const { out } = await run("why", path, "one", "2");
  expect(out).toMatch(
    /^#2 ai: In sight in calls? \d.* Folded before call \d+ by a summary \(trigger\); the original is in \/context\//u,
  );
  expect(await json("why", path, "one", "2")).toMatchObject({ place: 1, isSeen: false });
  const { code, err } = await run("why", path, "one", "9999");
  expect([code, err]).toEqual([1, expect.stringContaining("from 1 to 48")]);
});

it("errors, files and cat name what there is, and say when there is nothing", async () => {
  expect((await run("errors", path, "two")).out).toBe("Nothing failed.\n");
  // The node of this graph calls the model twice, with a large result between.
  expect((await run("errors", path, "one")).out).toMatch(
    / wiring +The model was called with a prompt of about/u,
  );
  const listed = await json<{ path: string }[]>("files", path, "one");
  expect(listed.map((file) => file.path)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^\/context\/history\/.*md$/u)]),
  );
  const [first] = listed;
  expect((await run("cat", path, "one", first?.path ?? "")).out.length).toBeGreaterThan(10);
});

it("prune deletes old checkpoints and keeps the whole thread", async () => {
  const copy = newPath("pruned.db");
  copyFileSync(path, copy);
  const before = await json("show", copy, "one", "--unfolded");
  expect(await json("prune", copy, "one", "--keep", "3", "--yes")).toMatchObject({
    thread: "one",
    checkpoints: 45,
  });
  expect(await json("show", copy, "one", "--unfolded")).toEqual(before);
  expect((await run("prune", copy, "one")).err).toContain("--keep is missing. Pass a whole number");
});

it("prune --all deletes idle threads and old checkpoints of the others", async () => {
  const copy = newPath("retained.db");
  copyFileSync(path, copy);
  const threads = (await json<{ thread: string }[]>("threads", copy)).map(({ thread }) => thread);
  const planned = await run("prune", copy, "--all", "--keep", "3", "--idle", "30d");
  expect(planned.out).toMatch(
    /^Would delete 0 idle threads, and \d+ checkpoints of the other \d+ threads\.\nNothing/u,
  );
  expect(await json("prune", copy, "--all", "--keep", "3", "--yes")).toMatchObject({
    visited: threads.length,
    deleted: [],
    failed: [],
  });
  expect(await json("prune", copy, "--all", "--keep", "3", "--dry-run")).toMatchObject({ checkpoints: 0 });
  expect(await json("prune", copy, "--all", "--older-than", "30d", "--dry-run")).toMatchObject({
    checkpoints: 0,
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await json("prune", copy, "--all", "--idle", "0m", "--yes")).toMatchObject({
    deleted: threads.toSorted(),
  });
  expect((await run("threads", copy)).out).toBe("There are no threads.\n");
});

it.each([
  [["--keep", "1"], "Pass a thread, or --all for every thread of the storage."],
  [["one", "--all", "--keep", "1"], "Pass a thread, or --all for every thread of the storage."],
  [["one", "--keep", "1", "--idle", "3d"], "--idle deletes threads. Pass --all in place of the thread"],
  [
    ["--all", "--older-than", "soon"],
    "--older-than is soon. Pass days, hours or minutes, such as 30d, 12h or 90m.",
  ],
])("prune %j is refused", async (args, message) => {
  const { code, err } = await run("prune", path, ...args);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

describe("import", () => {
  it("copies every thread of a SqliteSaver, compares it, and copies nothing twice", async () => {
    const [source, target] = [newPath("old.db"), newPath("new.db")];
    const old = new SqliteSaver(new Database(source));
    await talk(old, "a");
    await talk(old, "b");
    old.db.close();
    const rows = await json<object[]>("import", target, source);
    expect(rows).toHaveLength(2);
    expect(rows).toContainEqual({ thread: "a", copied: 3, present: 0 });
    expect(restored(await json<StoredMessage[]>("show", target, "a"))).toEqual(["ready?", "yes"]);
    expect(await json("import", target, source, "b")).toEqual([{ thread: "b", copied: 0, present: 3 }]);
  });

  it("reports a missing source and an unknown thread", async () => {
    const target = newPath();
    expect((await run("import", target, newPath("absent.db"))).err).toMatch(
      /There is no database at .*absent/u,
    );
    expect(existsSync(target)).toBe(false);
    const source = newPath("old.db");
    const old = new SqliteSaver(new Database(source));
    await talk(old, "a");
    old.db.close();
    expect((await run("import", newPath(), source, "c")).err).toContain('There is no thread "c" to migrate');
  });
});

describe("export --saver", () => {
  it("copies every thread into a SqliteSaver, whose tuples equal those of the storage, and nothing twice", async () => {
    const [old, storage, back] = [newPath("old.db"), newPath("new.db"), newPath("back.db")];
    const source = new SqliteSaver(new Database(old));
    await talk(source, "a");
    await talk(source, "b");
    source.db.close();
    await run("import", storage, old);
    const { code, out } = await run("export", storage, "--saver", back);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining("6 checkpoints copied and compared"),
    });
    const saver = new SqliteSaver(new Database(back));
    const last = await saver.getTuple({ configurable: { thread_id: "a" } });
    saver.db.close();
    expect(last?.checkpoint.channel_values["messages"]).toMatchObject([
      { content: "ready?" },
      { content: "yes" },
    ]);
    // The import compares every tuple: nothing is copied where all are equal.
    expect(await json("import", storage, back, "a")).toEqual([{ thread: "a", copied: 0, present: 3 }]);
    expect(await json("export", storage, "--saver", back)).toContainEqual({
      thread: "b",
      copied: 0,
      present: 3,
    });
  });

  it("refuses the storage itself, options of a text, and no thread without a target", async () => {
    expect((await run("export", path, "--saver", path)).err).toContain("the storage itself");
    expect((await run("export", path, "one", "--saver", newPath(), "--at", "1")).err).toContain(
      "--at does not go with --saver",
    );
    expect((await run("export", path)).err).toContain("No thread is named");
  });
});

it("backup writes a copy that reads the same", async () => {
  const copy = newPath("copy.db");
  expect((await run("backup", path, copy)).code).toBe(0);
  expect(await json("show", copy, "one")).toEqual(await json("show", path, "one"));
});

describe("wrong input", () => {
  it("no command but prune changes a byte of the file", async () => {
    const before = readFileSync(path);
    for (const args of [
      ["threads"],
      ["show", "one"],
      ["folds", "one"],
      ["search", "x"],
      ["bill", "one"],
      ["verify"],
    ]) {
      const [verb = "", ...rest] = args;
      await run(verb, path, ...rest);
    }
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it.each([
    [
      "a path at which nothing is",
      ["threads", newPath("absent.db")],
      /There is no database at .*absent\.db/u,
    ],
    ["a thread that is not there", ["show", path, "ones"], /There is no thread "ones"/u],
    [
      "a step that is not there",
      ["show", path, "one", "--at", "99"],
      /"one" has no step or checkpoint 99\. Its steps are -1 to 46/u,
    ],
    ["a thread whose errors are asked for", ["errors", path, "ones"], /There is no thread "ones"/u],
    ["a thread to verify that is not there", ["verify", path, "ones"], /There is no thread "ones"/u],
    [
      "a copy in a directory that is not there",
      ["backup", path, "/absent/copy.db"],
      /There is no directory \/absent for \/absent\/copy\.db/u,
    ],
    ["a copy at an empty path", ["backup", path, ""], /path of the new file is empty/u],
    [
      "a report in a directory that is not there",
      ["inspect", path, "--report", "/absent/report.html"],
      /There is no directory \/absent/u,
    ],
    [
      "prices that are not there",
      ["bill", path, "one", "--prices", "/absent.json"],
      /^palimpsest: There is no file with prices at \/absent\.json\.\n$/u,
    ],
  ])("says what to do for %s, and exits with 1", async (_, args, expected) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(expected);
    expect(err).not.toContain("    at ");
  });

  it.each([
    ["a number that is none", ["show", path, "one", "--characters", "x"], /--characters is x\./u],
    [
      "a format that is unknown",
      ["export", path, "one", "--format", "pdf"],
      /--format is pdf\. Pass jsonl, markdown, openai, anthropic or folds/u,
    ],
    ["nothing to search for", ["search", path, " "], /nothing to search for/u],
    ["an argument that is missing", ["show", path], /missing required argument 'thread'.*\n.*--help/u],
  ])("answers %s with what to do, and exits with 2", async (_, args, expected) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(expected);
  });

  it("creates no file for a thread that is not there", async () => {
    const target = newPath("saver.db");
    const { code, err } = await run("export", path, "ones", "--saver", target);
    expect([code, err]).toEqual([1, expect.stringContaining('There is no thread "ones"')]);
    expect(existsSync(target)).toBe(false);
  });

  it("does not mistake a storage for the file of another saver", async () => {
    const copy = newPath("copy.db");
    copyFileSync(path, copy);
    expect((await run("import", newPath(), path)).err).toContain("is a storage of Palimpsest. Pass the file");
    expect((await run("export", path, "--saver", copy)).err).toContain("is a storage of Palimpsest. Pass");
  });

  it("creates no table in a database of another application", async () => {
    const other = newPath("other.db");
    const database = new Database(other);
    database.exec("CREATE TABLE notes (text)");
    database.close();
    const before = readFileSync(other);
    expect((await run("import", newPath(), other)).err).toContain("is not a database of a SqliteSaver");
    expect((await run("export", path, "--saver", other)).err).toContain("is not a database of a SqliteSaver");
    expect(readFileSync(other).equals(before)).toBe(true);
  });

  it("creates no file at an empty path", async () => {
    const absent = newPath("absent.db");
    for (const verb of ["threads", "verify", "prune"]) await run(verb, absent, "one", "--keep", "1", "--yes");
    expect(existsSync(absent)).toBe(false);
  });

  it("reports a file that is not a database", async () => {
    const other = newPath("notes.txt");
    writeFileSync(other, "not a database, but long enough to be looked at ".repeat(100));
    expect((await run("threads", other)).err).toMatch(/not a SQLite database/u);
  });

  it("ends with code 2 and a suggestion for a command that is unknown", async () => {
    const { code, err } = await run("thread", path);
    expect(code).toBe(2);
    expect(err).toContain("Did you mean threads?");
  });
});

describe("hostile text", () => {
  it("reaches no terminal as a command, whatever the message holds", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(0xa0), fc.nat(0xffff)), { maxLength: 50 }), (codes) => {
        const text = String.fromCharCode(...codes);
        expect(terminalText(text)).not.toMatch(/[^\t\n\P{Cc}]|\p{Bidi_Control}/u);
      }),
    );
  });

  it.each([
    ["threads"],
    ["show", "one", "--unfolded"],
    ["folds", "one"],
    ["search", "Go"],
    ["diff", "one", "-1", "2"],
    ["bill", "one"],
    ["stats"],
    ["verify"],
    ["inspect", "--window", "\u001b[2J\u202e"],
    ["show", "\u001b[2J\u202e"],
    ["show", "one", "--unfolded", "--json"],
    ["search", "Go", "--json"],
    ...["jsonl", "markdown", "openai", "anthropic"].map((format) => ["export", "one", "--format", format]),
  ])("reaches no terminal as a command through %s", async (verb, ...rest) => {
    const { out, err } = await run(verb, path, ...rest);
    expect((out + err).length).toBeGreaterThan(0);
    expect(out + err).not.toMatch(/[^\t\n\P{Cc}]|\p{Bidi_Control}/u);
  });

  it("is the same text again after JSON is parsed, control characters of the second range included", async () => {
    const file = newPath();
    const saver = VfsSaver.fromPath(file);
    const text = `${hostile} \u007f\u009b2J\u2066 \u2028`;
    const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
      .addNode("answer", () => ({ messages: [new AIMessage(text)] }))
      .addEdge(START, "answer")
      .compile({ checkpointer: saver });
    await graph.invoke({ messages: [] }, { configurable: { thread_id: "a" } });
    await saver.close();
    const { out } = await run("export", file, "a");
    expect(out).not.toMatch(/[^\t\n\P{Cc}]|\p{Bidi_Control}|\u2028/u);
    expect(restored([JSON.parse(out) as StoredMessage])).toEqual([text]);
    expect(restored(await json<StoredMessage[]>("show", file, "a"))).toEqual([text]);
  });

  it("is printed as escapes by show", async () => {
    const { out } = await run("show", path, "one");
    expect(out).toContain("Go. \\u001b[2J\\u202egnp.exe <script>");
  });
});

const server = process.env["PALIMPSEST_POSTGRES_URL"];

describe.runIf(server)("a Postgres database", () => {
  it("is read by the same commands", async () => {
    const url = await newSchema();
    const saver = await VfsSaver.fromPostgres(url);
    await writeThread(saver, "one");
    await saver.close();
    expect(await unfolded(url)).toEqual(await unfolded(path));
    expect(await json("verify", url)).toMatchObject({ threads: 1, checkpoints: 48, damage: [] });
    const copy = newPath("copy.db");
    expect(await json("export", url, "--saver", copy)).toEqual([{ thread: "one", copied: 48, present: 0 }]);
    expect(await json("export", url, "--saver", copy)).toEqual([{ thread: "one", copied: 0, present: 48 }]);
    expect(await json("prune", url, "one", "--keep", "2", "--yes")).toMatchObject({ checkpoints: 46 });
    expect((await run("backup", url, newPath())).err).toContain("the url of an empty one");
  });

  it("is verified past a damaged checkpoint", async () => {
    const url = await newSchema();
    const saver = await VfsSaver.fromPostgres(url);
    for (let turn = 0; turn < 30; turn++) await talk(saver, "one");
    await saver.close();
    const rows = "SELECT id FROM palimpsest_entries WHERE kind = 'c' ORDER BY id LIMIT 1 OFFSET 40";
    await query(url, `UPDATE palimpsest_entries SET data = '\\x00' WHERE kind = 'c' AND id = (${rows})`);
    const { code, out } = await run("verify", url, "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      checkpoints: 89,
      damage: [{ thread: "one", what: expect.stringMatching(/^checkpoint /u) }],
    });
  });

  it("imports the threads of a PostgresSaver", async () => {
    const source = new URL(server ?? "");
    await query(source.href, `CREATE DATABASE cli_source_${process.pid}`);
    source.pathname = `/cli_source_${process.pid}`;
    const old = PostgresSaver.fromConnString(source.href);
    await old.setup();
    await talk(old, "a");
    await old.end();
    const target = await newSchema();
    expect(await json("import", target, source.href)).toEqual([{ thread: "a", copied: 3, present: 0 }]);
    expect(restored(await json<StoredMessage[]>("show", target, "a"))).toEqual(["ready?", "yes"]);
  });

  it("imports from, and exports to, a PostgresSaver in the schema that the url names", async () => {
    const source = new URL(server ?? "");
    source.searchParams.set("schema", `Source-${process.pid}`);
    const old = PostgresSaver.fromConnString(server ?? "", { schema: `Source-${process.pid}` });
    await old.setup();
    await talk(old, "a");
    const target = await newSchema();
    expect(await json("import", target, source.href)).toEqual([{ thread: "a", copied: 3, present: 0 }]);
    const back = new URL(source);
    back.searchParams.set("schema", `back_${process.pid}`);
    expect(await json("export", target, "--saver", back.href)).toEqual([
      { thread: "a", copied: 3, present: 0 },
    ]);
    const written = PostgresSaver.fromConnString(server ?? "", { schema: `back_${process.pid}` });
    const config = { configurable: { thread_id: "a" } };
    const [before, after] = [await old.getTuple(config), await written.getTuple(config)];
    expect(after?.checkpoint.channel_values).toEqual(before?.checkpoint.channel_values);
    await old.end();
    await written.end();
  });

  it.each<readonly [string, { schema?: string; port?: string; pathname?: string }, RegExp]>([
    [
      "no tables",
      { schema: "nobody" },
      /holds no tables of a PostgresSaver in the schema nobody\. .*\?schema=NAME/u,
    ],
    ["no schema of this name", { schema: 'a"b' }, /^palimpsest: schema is "a\\"b": give a name/u],
    ["no server", { port: "1" }, /cannot be opened: .*ECONNREFUSED.*\. Check the url/u],
    ["no such database", { pathname: "/missing" }, /cannot be opened: .*does not exist\. Check the url/u],
  ])(
    "is refused as a source in one line, and nothing is created: %s",
    async (_, { schema, ...parts }, reason) => {
      const source = Object.assign(new URL(server ?? ""), parts);
      if (schema !== undefined) source.searchParams.set("schema", schema);
      const target = newPath();
      const { code, err } = await run("import", target, source.href);
      expect({ code, lines: err.trimEnd().split("\n").length }).toEqual({ code: 1, lines: 1 });
      expect(err).toMatch(reason);
      expect(existsSync(target)).toBe(false);
    },
  );

  it("gets no tables when there are none", async () => {
    const url = await newSchema();
    for (let attempt = 0; attempt < 2; attempt++) {
      expect((await run("threads", url)).err).toContain("holds no threads of Palimpsest");
    }
  });
});
