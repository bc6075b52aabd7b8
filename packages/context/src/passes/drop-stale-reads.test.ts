import { describe, expect, it } from "vitest";
import { messageText } from "../messages/text.js";
import { talk } from "../testing/index.js";
import { dropStaleReads } from "./drop-stale-reads.js";

const file = "export const answer = 42;\n".repeat(50);
let count = 0;

function done(name: string, args: Record<string, unknown>, { text = file, failed = false } = {}) {
  const id = `${name}${count++}`;
  const result = failed ? talk.error : talk.result;
  return [talk.calls(`c-${id}`, { [id]: [name, args] }), result(`r-${id}`, id, text)];
}

function staleOf(...steps: ReturnType<typeof done>[]): readonly string[] {
  const messages = [talk.human("h", "go"), ...steps.flat(), talk.ai("e", "done")];
  const places = steps.map(([, result]) => result?.id);
  const dropped = dropStaleReads(messages).folds.flatMap(({ covers }) => covers);
  return dropped.map((id) => `step ${places.indexOf(id)}`);
}

const a = { path: "src/a.ts" };

const turn = (name: string, path: string) => [
  talk.calls(`c-${name}${path}`, { call_0: [name, { path }] }),
  talk.result(`r-${name}${path}`, "call_0", file),
];

describe("dropStaleReads", () => {
  it("replaces the result by one line with the file's path and the archive path", () => {
    const messages = [
      ...done("read_file", a),
      ...done("write_file", { ...a, content: "x" }, { text: "ok" }),
      talk.ai("e", "done"),
    ];
    const { messages: after, folds, writes } = dropStaleReads(messages);
    expect(writes).toEqual([{ path: folds[0]?.path, content: file }]);
    expect(after.slice(1, 2).map(messageText)).toEqual([
      `[Out of date: src/a.ts was written or read again later. As read then: ${folds[0]?.path}]`,
    ]);
  });

  it.each<[string, ReturnType<typeof done>[], readonly string[]]>([
    [
      "a read that was written over",
      [done("read_file", a), done("write_file", { ...a, content: file }, { text: "ok" })],
      ["step 0"],
    ],
    [
      "a read whose file an editor of parts wrote whole",
      [
        done("read_file", a),
        done("str_replace_based_edit_tool", { ...a, command: "create", file_text: file }, { text: "ok" }),
      ],
      ["step 0"],
    ],
    ["a read whose file is gone", [done("read_file", a), done("delete_file", a, { text: "ok" })], ["step 0"]],
    [
      "no read of which an edit replaced a part",
      [
        done("read_file", a),
        done("edit_file", { ...a, old_string: "= 42", new_string: "= 43" }, { text: "ok" }),
        done("insert_lines", { ...a, line: 3, lines: "x" }, { text: "ok" }),
      ],
      [],
    ],
    [
      "a read that was repeated after an edit",
      [done("read_file", a), done("edit_file", { ...a, old_string: "42" }), done("read_file", a)],
      ["step 0"],
    ],
    ["a read that was repeated", [done("read_file", a), done("read_file", a)], ["step 0"]],
    [
      "both of two reads before a write",
      [done("read_file", a), done("view", { ...a, line: 9 }), done("writeFile", a, { text: "ok" })],
      ["step 0", "step 1"],
    ],
    [
      "only the older of three equal reads each time",
      [done("cat", a), done("cat", a), done("cat", a)],
      ["step 0", "step 1"],
    ],
    [
      "names of other schemas",
      [done("Read", { file_path: "b" }), done("NotebookCreate", { notebook_path: "b" }, { text: "ok" })],
      ["step 0"],
    ],
    [
      "no read of another part",
      [done("read_file", { ...a, offset: 0 }), done("read_file", { ...a, offset: 9 })],
      [],
    ],
    [
      "no read of another file",
      [done("read_file", a), done("write_file", { path: "src/b.ts" }, { text: "ok" })],
      [],
    ],
    ["no read that came after the write", [done("write_file", a, { text: "ok" }), done("read_file", a)], []],
    [
      "no read because of a write that failed",
      [done("read_file", a), done("write_file", a, { failed: true })],
      [],
    ],
    ["no failed read", [done("read_file", a, { failed: true }), done("write_file", a, { text: "ok" })], []],
    [
      "no result of a tool that does not read",
      [done("list_spreadsheets", a), done("write_file", a, { text: "ok" })],
      [],
    ],
    [
      "no call without a path",
      [done("read_file", { query: "x" }), done("write_file", { query: "x" }, { text: "ok" })],
      [],
    ],
    [
      "no result that is shorter than the line",
      [done("read_file", a, { text: "x" }), done("write_file", a, { text: "ok" })],
      [],
    ],
  ])("drops %s", (_, steps, expected) => {
    expect(staleOf(...steps)).toEqual(expected);
  });

  it("ignores calls whose results the model has not seen", () => {
    const messages = [...done("read_file", a), ...done("write_file", a, { text: "ok" })];
    expect(dropStaleReads(messages).folds).toEqual([]);
    expect(dropStaleReads(messages).messages).toBe(messages);
  });

  it("keeps pinned results", () => {
    const messages = [
      ...done("read_file", a),
      ...done("write_file", a, { text: "ok" }),
      talk.ai("e", "done"),
    ];
    expect(dropStaleReads(messages, { pin: () => true }).messages).toBe(messages);
  });

  it("assigns a result to the newest call with its id", () => {
    const messages = [
      ...turn("read", "a"),
      ...turn("read", "b"),
      ...turn("write", "a"),
      talk.ai("e", "done"),
    ];
    expect(dropStaleReads(messages).folds.flatMap(({ covers }) => covers)).toEqual(["r-reada"]);
  });
});
