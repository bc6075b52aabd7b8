import { describe, expect, it } from "vitest";
import { countLines, textKind } from "../messages/text.js";
import { preview } from "./offload-large-tool-results.js";

const limits = { previewLines: 3, previewLineLength: 10 };

describe("preview", () => {
  it.each([
    ["", ""],
    ["one", "one"],
    ["one\ntwo\n", "one\ntwo"],
    ["1\n2\n3", "1\n2\n3"],
    ["1\n2\n3\n4", "1\n2\n3\n[1 more lines in the file above]"],
    ["1\n2\n3\n4\n5\n", "1\n2\n3\n[2 more lines in the file above]"],
    ["0123456789", "0123456789"],
    ["0123456789abc\nx", "0123456789 [line clipped: 3 more characters]\nx"],
    // Providers refuse a prompt with half a character.
    ["012345678😀\nx", "012345678 [line clipped: 2 more characters]\nx"],
  ])("of %j is %j", (text, expected) => {
    expect(preview(text, limits)).toBe(expected);
  });
});

describe("describing a text", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["a\n", 1],
    ["a\nb", 2],
    ["\n\n", 2],
  ])("counts in %j %i lines", (text, lines) => {
    expect(countLines(text)).toBe(lines);
  });

  it.each([
    ['  {"a":1}\n', "JSON"],
    ["[1]", "JSON"],
    ["[INFO] started", "text"],
    ["<!DOCTYPE html><p>", "HTML"],
    ["<html>", "HTML"],
    ['<?xml version="1.0"?>', "XML"],
    ["", "text"],
  ])("sees what %j is", (text, kind) => {
    expect(textKind(text)).toBe(kind);
  });
});
