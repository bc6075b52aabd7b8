import { HumanMessage } from "@langchain/core/messages";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { compareThreads } from "./compare-threads.js";
import { Recorder } from "./recorder.js";

function recorded(): Recorder {
  const recorder = new Recorder({ watch: () => undefined, mainThread: "t" });
  recorder.message("t", new HumanMessage({ id: "1", content: "one" }));
  return recorder;
}

describe("compareThreads", () => {
  it("finds a thread that is as it was produced identical", async () => {
    const recorder = recorded();
    recorder.finished("t", [new HumanMessage({ id: "1", content: "one" })]);
    const comparison = await compareThreads(recorder, VirtualFilesystem.inMemory());
    expect(comparison).toEqual({ messages: 1, isIdentical: true, differences: [] });
  });

  it("finds a changed byte, a missing message, and a thread without messages", async () => {
    for (const messages of [[new HumanMessage({ id: "1", content: "one " })], []]) {
      const recorder = recorded();
      recorder.finished("t", messages);
      const comparison = await compareThreads(recorder, VirtualFilesystem.inMemory());
      expect(comparison.isIdentical).toBe(false);
    }
  });
});
