import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../session-event.js";
import { readAll } from "../testing/read-all.js";
import { madeStory } from "../testing/story.js";
import { writeOpencode, writeOpencodeStorage } from "../testing/write-opencode.js";

const lines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** Where a record of Claude Code stands: its own id, and that of the record above it. */
type Below = readonly [uuid: string, parent: string | null];

function record([uuid, parentUuid]: Below, fields: object): object {
  const common = { isSidechain: false, sessionId: "s", version: "2.1.42", timestamp: "2026-01-05T09:00:00Z" };
  return { uuid, parentUuid, ...common, ...fields };
}
const prompt = (below: Below, content: string, fields = {}): object =>
  record(below, { type: "user", message: { role: "user", content }, ...fields });
const answer = (below: Below, message: object, fields = {}): object =>
  record(below, { type: "assistant", message: { role: "assistant", ...message }, ...fields });
const result = (below: Below, call: string, content: string): object => {
  const block = { type: "tool_result", tool_use_id: call, content };
  return record(below, { type: "user", message: { role: "user", content: [block] } });
};
const piMessage = ([id, parentId]: Below, role: string, value: string): object => {
  const content = role === "user" ? value : [{ type: "text", text: value }];
  return { type: "message", id, parentId, timestamp: "2026-01-05T09:00:00Z", message: { role, content } };
};
const piHeader = {
  type: "session",
  version: 3,
  id: "s",
  timestamp: "2026-01-05T09:00:00Z",
  cwd: "/home/user",
};
const geminiPrompt = (id: string, content: string): object => ({ id, type: "user", content, timestamp: "x" });
const codexMessage = (role: string, value: string): object => ({
  timestamp: "2026-01-05T09:00:00Z",
  type: "response_item",
  payload: { type: "message", role, content: [{ type: "input_text", text: value }] },
});
const use = (id: string): object => ({ type: "tool_use", id, name: "read", input: { path: id } });
const text = (value: string): object => ({ type: "text", text: value });
const texts = async (file: string): Promise<readonly string[]> =>
  (await readAll(file)).context.map((message) => message.text);

describe("a session of Claude Code", () => {
  const parallel = [
    prompt(["1", null], "Read two files."),
    answer(["2", "1"], { id: "msg", content: [use("a")] }),
    answer(["3", "2"], { id: "msg", content: [use("b")] }),
    result(["4", "2"], "a", "text of a"),
    result(["5", "3"], "b", "text of b"),
  ];

  it("keeps the results of parallel calls, although only one of them is above the next prompt", async () => {
    const { context } = await readAll(lines([...parallel, prompt(["6", "4"], "Go on.")]));
    expect(context.map((message) => message.text)).toEqual([
      "Read two files.",
      "",
      "text of a",
      "text of b",
      "Go on.",
    ]);
  });

  it("leaves a branch when the user goes back to an earlier prompt", async () => {
    const file = lines([
      ...parallel,
      answer(["6", "5"], { id: "done", content: [text("Both are read.")] }),
      prompt(["7", "6"], "Delete them."),
      answer(["8", "7"], { id: "gone", content: [text("Deleted.")] }),
      prompt(["9", "6"], "Keep them."),
    ]);
    expect((await texts(file)).slice(-2)).toEqual(["Both are read.", "Keep them."]);
  });

  it("keeps the conversation of a subagent apart", async () => {
    const side = { isSidechain: true, agentId: "helper" };
    const file = lines([
      ...parallel,
      prompt(["6", "5"], "Look for c.", side),
      answer(["7", "6"], { id: "found", content: [text("c is here.")] }, side),
      answer(["8", "5"], { id: "done", content: [text("All is read.")] }),
    ]);
    const { records, context } = await readAll(file);
    const lanes = records.flatMap(({ events }) =>
      events.map((event) => ("lane" in event ? event.lane : undefined)),
    );
    expect(lanes.filter((lane) => lane === "helper")).toHaveLength(2);
    expect(context.at(-1)?.text).toBe("All is read.");
    expect(context.map((message) => message.text)).not.toContain("c is here.");
  });

  it("keeps the segment that a compaction has preserved, after its summary", async () => {
    const preservedSegment = { headUuid: "6", anchorUuid: "9", tailUuid: "7" };
    const file = lines([
      ...parallel,
      prompt(["6", "5"], "Now the last question."),
      answer(["7", "6"], { id: "last", content: [text("The last answer.")] }),
      record(["8", null], {
        type: "system",
        subtype: "compact_boundary",
        logicalParentUuid: "7",
        compactMetadata: { trigger: "auto", preTokens: 160_000, preservedSegment },
      }),
      prompt(["9", "8"], "Two files were read.", { isCompactSummary: true }),
    ]);
    expect(await texts(file)).toEqual(["Two files were read.", "Now the last question.", "The last answer."]);
  });

  it("shows the placeholder in place of results that were cleared, and no other", async () => {
    const microcompactMetadata = {
      trigger: "auto",
      preTokens: 80_000,
      tokensSaved: 9,
      compactedToolIds: ["a"],
    };
    const cleared = record(["6", "5"], {
      type: "system",
      subtype: "microcompact_boundary",
      microcompactMetadata,
    });
    const { context, happened } = await readAll(lines([...parallel, cleared]));
    const results = (list: typeof context) =>
      list.filter((message) => message.getType() === "tool").map((message) => message.text);
    expect(results(context)).toEqual(["[Old tool result content cleared]", "text of b"]);
    expect(results(happened)).toEqual(["text of a", "text of b"]);
  });

  it("takes the summary at its beginning for a message: what it replaced is in another file", async () => {
    const { context, compactions } = await readAll(
      lines([prompt(["1", null], "Earlier work.", { isCompactSummary: true }), prompt(["2", "1"], "Go on.")]),
    );
    expect(compactions).toEqual([]);
    expect(context.map((message) => message.text)).toEqual(["Earlier work.", "Go on."]);
  });

  it("adds what the cache held to the tokens of a prompt", async () => {
    const usage = {
      input_tokens: 3,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: 500,
      output_tokens: 7,
    };
    const said = record(["2", "1"], {
      type: "assistant",
      message: { id: "m", role: "assistant", content: [text("Hi.")], usage },
    });
    const { happened } = await readAll(lines([prompt(["1", null], "Hello."), said]));
    expect(happened.at(-1)).toMatchObject({
      usage_metadata: {
        input_tokens: 543,
        output_tokens: 7,
        input_token_details: { cache_read: 40, cache_creation: 500 },
      },
    });
  });
});

describe("a session in which the user goes back", () => {
  it("continues from the entry that is named, in pi", async () => {
    const file = lines([
      piHeader,
      piMessage(["a", null], "user", "One."),
      piMessage(["b", "a"], "assistant", "Two."),
      piMessage(["c", "b"], "user", "Wrong."),
      piMessage(["d", "b"], "user", "Right."),
    ]);
    expect(await texts(file)).toEqual(["One.", "Two.", "Right."]);
  });

  it("drops the record that is named and all after it, in gemini-cli", async () => {
    const file = lines([
      { sessionId: "s", projectHash: "p", startTime: "x", lastUpdated: "x" },
      geminiPrompt("a", "One."),
      geminiPrompt("b", "Wrong."),
      geminiPrompt("c", "Wrong too."),
      { $rewindTo: "b" },
      geminiPrompt("d", "Right."),
    ]);
    expect(await texts(file)).toEqual(["One.", "Right."]);
  });

  it("drops the newest turns, in Codex", async () => {
    const file = lines([
      { timestamp: "x", type: "session_meta", payload: { id: "s", cwd: "/", cli_version: "0.98.0" } },
      codexMessage("user", "One."),
      codexMessage("assistant", "Two."),
      codexMessage("user", "Wrong."),
      codexMessage("assistant", "Oh."),
      { timestamp: "x", type: "event_msg", payload: { type: "thread_rolled_back", num_turns: 1 } },
      codexMessage("user", "Right."),
    ]);
    expect(await texts(file)).toEqual(["One.", "Two.", "Right."]);
  });

  it("goes back before the message that was reverted, in opencode", async () => {
    const story = madeStory({ isCompacted: false });
    const { info, messages } = JSON.parse(writeOpencode(story)) as {
      info: object;
      messages: { info: { id: string; role: string } }[];
    };
    const messageID = messages.findLast((one) => one.info.role === "user")?.info.id;
    const reverted = JSON.stringify({ info: { ...info, revert: { messageID } }, messages });
    expect((await texts(reverted)).at(-1)).toContain("heron keeps its alias");
    const stored = writeOpencodeStorage(story).replace(
      '\\"version\\"',
      `\\"revert\\": {\\"messageID\\": \\"${messageID}\\"}, \\"version\\"`,
    );
    expect((await texts(stored)).at(-1)).toContain("heron keeps its alias");
  });

  it("gets the messages before a compaction back when it goes back past it", async () => {
    const compaction = { summary: "Both.", firstKeptEntryId: "b", tokensBefore: 9 };
    const before = [piHeader, piMessage(["a", null], "user", "One."), piMessage(["b", "a"], "user", "Two.")];
    const compacted = [
      ...before,
      { type: "compaction", id: "c", parentId: "b", timestamp: "x", ...compaction },
      piMessage(["d", "c"], "user", "Three."),
    ];
    expect(await texts(lines(compacted))).toEqual(["Both.", "Two.", "Three."]);
    const back = piMessage(["e", "b"], "user", "Another three.");
    expect(await texts(lines([...compacted, back]))).toEqual(["One.", "Two.", "Another three."]);
  });
});

it("a file of another kind is no session, and the error names it and the reason", async () => {
  await expect(readAll("# Notes\n\nNo session.\n")).rejects.toThrow(
    /^The input is no session of Claude Code, .*: line 1: it is not JSON/,
  );
  await expect(readAll('{"a":1}\n')).rejects.toThrow("no line is a record of one");
  await expect(readAll("")).rejects.toThrow("The input is empty");
});

it("facts of a session are its id, directory, version and model", async () => {
  const { records } = await readAll(lines([prompt(["1", null], "Hello.", { cwd: "/home/user" })]));
  const facts = records.flatMap(({ events }) =>
    events.filter((event: SessionEvent) => event.kind === "facts"),
  );
  expect(facts).toEqual([{ kind: "facts", facts: { id: "s", directory: "/home/user", version: "2.1.42" } }]);
});

describe("plain messages", () => {
  it.each(["reasoning_content", "thinking"])("keep the reasoning under %s", async (field) => {
    const file = lines([
      { role: "user", content: "Rename it." },
      { role: "assistant", content: "Done.", [field]: "Two files name it." },
    ]);
    const { context } = await readAll(file);
    expect(context[1]?.text).toBe("Done.");
    expect(context[1]?.additional_kwargs).toEqual({ reasoning_content: "Two files name it." });
  });
});

it("a byte order mark before the first record is part of the file, and stops nobody from reading it", async () => {
  const { records, context } = await readAll(`\ufeff${lines([prompt(["1", null], "Hello.")])}`);
  expect(context.map((message) => message.text)).toEqual(["Hello."]);
  expect(records[0]?.bytes.slice(0, 3)).toEqual(new Uint8Array([0xef, 0xbb, 0xbf]));
});
