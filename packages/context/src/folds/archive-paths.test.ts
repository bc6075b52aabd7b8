import { describe, expect, it } from "vitest";
import {
  archiveKind,
  blockFiles,
  certificatePath,
  historyRecord,
  inputPath,
  inputRecord,
  isArchivePath,
  isCopyPath,
  isFoldFile,
  isHistoryPath,
  isRecord,
  laneOfPath,
  offloadedPath,
  preparedPath,
  promptPath,
  replyPath,
  replyRecord,
  resultFiles,
  stepFiles,
  stepOf,
  standInsPath,
  stepsOfRun,
  summaryFiles,
  type Lane,
} from "./archive-paths.js";

const lane: Lane = { name: "scout-2", share: "none" };
const result = resultFiles("search", "text");
const { path: summary, record } = summaryFiles(7, "a");
const block = blockFiles({ startStep: 2, endStep: 9 }, "a");
const step = stepFiles("57-3fa9c1");

describe("archive paths", () => {
  it.each([
    ["read_file", "read_file"],
    ["../../etc/passwd", "etc-passwd"],
    ["日志", "message"],
    ["", "message"],
    ["x".repeat(99), "x".repeat(40)],
  ])("a tool of the name %j becomes the file name %j", (tool, name) => {
    expect(inputPath(tool, "text")).toMatch(new RegExp(`^/context/inputs/${name}-[0-9a-f]{16}\\.txt$`));
  });

  it.each([
    [result.path, "results", ["fold"]],
    [resultFiles("search", '{"a":1}').path, "results", ["fold"]],
    [result.recordOf("{}"), "results", ["copy"]],
    [replyPath("text"), "results", ["fold"]],
    [replyRecord("{}"), "results", ["copy"]],
    [inputPath("write", "text"), "inputs", []],
    [inputRecord("{}"), "inputs", ["fold", "copy"]],
    [summary, "history", ["history"]],
    [record, "history", ["fold", "copy"]],
    [block.path, "history", ["history"]],
    [block.record, "history", ["fold", "copy"]],
    [historyRecord("reasoning", "{}"), "history", ["fold", "copy"]],
    [certificatePath(1, "text", summary), "certificates", ["copy"]],
    [promptPath("{}"), "prompts", ["copy"]],
    [preparedPath("a"), "prepared", ["copy"]],
    [step.path, "steps", []],
    [step.record, "steps", ["copy"]],
  ])("%s is a file of %s: %j", (path, kind, traits) => {
    const found = { fold: isFoldFile(path), copy: isCopyPath(path), history: isHistoryPath(path) };
    expect(isArchivePath(path)).toBe(true);
    expect(archiveKind(path)).toBe(kind);
    expect(Object.keys(found).filter((trait) => found[trait as keyof typeof found])).toEqual(traits);
    expect(isRecord(path)).toBe(path.endsWith(".jsonl"));
  });

  it.each([
    ["a result", resultFiles("search", "text", lane).path, "results", ["fold"]],
    ["an argument", inputPath("write", "text", lane), "inputs", []],
    ["a record of arguments", inputRecord("{}", lane), "inputs", ["fold", "copy"]],
    ["a summary", summaryFiles(7, "a", lane).path, "history", ["history"]],
    ["the record of a summary", summaryFiles(7, "a", lane).record, "history", ["fold", "copy"]],
    ["a block", blockFiles({ startStep: 2, endStep: 9 }, "a", lane).path, "history", ["history"]],
    ["a certificate", certificatePath(1, "text", summaryFiles(7, "a", lane).path), "certificates", ["copy"]],
    ["a prompt", promptPath("{}", lane), "prompts", ["copy"]],
    ["stand-ins", standInsPath("text", lane), "stand-ins", []],
  ])("%s of a lane is below its folder and what it is elsewhere", (...[, path, folder, traits]) => {
    const found = { fold: isFoldFile(path), copy: isCopyPath(path), history: isHistoryPath(path) };
    expect(path.startsWith(`/context/lanes/scout-2/${folder}/`)).toBe(true);
    expect([laneOfPath(path), archiveKind(path)]).toEqual(["scout-2", "lanes"]);
    expect(Object.keys(found).filter((trait) => found[trait as keyof typeof found])).toEqual(traits);
  });

  it("name the lane that they are in, and other paths none", () => {
    expect([summary, "/context/lanes/", "/lanes/a/x.md"].map(laneOfPath)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(offloadedPath.exec(`See ${resultFiles("search", "text", lane).path}.`)?.[0]).toBe(
      resultFiles("search", "text", lane).path,
    );
  });

  it("name the steps that they hold, and other paths none", () => {
    expect(stepOf(step.path)).toBe(57);
    expect(stepOf(step.record)).toBeUndefined();
    expect(stepsOfRun("/context/steps/runs/1200-1570-3fa9c1.md")).toEqual({ first: 1200, last: 1570 });
    expect(stepsOfRun(step.path)).toBeUndefined();
    expect(isArchivePath("/notes/context/a.md")).toBe(false);
  });
});
