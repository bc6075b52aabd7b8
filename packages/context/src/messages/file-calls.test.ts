import { describe, expect, it } from "vitest";
import { filePathOf, isFileRead, isFileWrite } from "./tool-calls.js";

const call = (name: string, args: Record<string, unknown> = {}) => ({ id: "c", name, args });

describe("file calls", () => {
  it.each(["path", "file_path", "filePath", "file", "filename", "notebook_path"])(
    "finds the file in %s",
    (key) => {
      expect(filePathOf(call("x", { [key]: "a.ts" }))).toBe("a.ts");
    },
  );

  it("finds no file where there is none", () => {
    expect(
      [{}, { path: "" }, { path: 7 }, { query: "a.ts" }].map((args) => filePathOf(call("x", args))),
    ).toEqual([undefined, undefined, undefined, undefined]);
  });

  it.each(["write_file", "editFile", "str_replace", "apply-patch", "Delete", "NotebookEdit"])(
    "sees that %s writes",
    (name) => {
      expect([isFileWrite(call(name)), isFileRead(call(name))]).toEqual([true, false]);
    },
  );

  it.each(["read_file", "readFile", "view", "cat", "fs.open"])("sees that %s reads", (name) => {
    expect([isFileWrite(call(name)), isFileRead(call(name))]).toEqual([false, true]);
  });

  it.each(["search", "spreadsheet", "category", "overview", "rewriter"])("takes %s for neither", (name) => {
    expect([isFileWrite(call(name)), isFileRead(call(name))]).toEqual([false, false]);
  });
});
