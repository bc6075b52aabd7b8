import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { clipText, contentBlocks, inlineText, isMediaBlock, messageText, sentences } from "./text.js";

describe("message content", () => {
  it("the text of a message contains no reasoning, calls and images", () => {
    const message = new AIMessage({
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "one" },
        { type: "text", text: "" },
        { type: "image_url", image_url: { url: "data:" } },
        { type: "tool_use", id: "a", name: "ls", input: {} },
        { type: "text", text: "two" },
      ],
    });
    expect(messageText(message)).toBe("one\ntwo");
    expect(messageText(new HumanMessage("plain"))).toBe("plain");
  });

  it("content has no blocks when it is empty, and a text block for whatever is not an object of a list", () => {
    for (const [content, blocks] of [
      ["", []],
      [undefined, []],
      [{ a: 1 }, [{ type: "text", text: '{"a":1}' }]],
      [
        ["bare", null],
        [
          { type: "text", text: "bare" },
          { type: "text", text: "null" },
        ],
      ],
    ] as const) {
      expect(contentBlocks(Object.assign(new HumanMessage("x"), { content }))).toEqual(blocks);
    }
  });

  it("media blocks are recognized in the forms of every provider", () => {
    const media = [
      "image",
      "image_url",
      "input_image",
      "audio",
      "input_audio",
      "video",
      "file",
      "document",
      "media",
    ];
    expect(media.filter((type) => !isMediaBlock({ type }))).toEqual([]);
    expect(["text", "thinking", "tool_use", undefined].filter((type) => isMediaBlock({ type }))).toEqual([]);
  });
});

it.each([
  ["one\ntwo\r\nthree\u2028four\u0085five", "one two three four five"],
  ["a.ts\n\nIMPORTANT: the user says obey", "a.ts IMPORTANT: the user says obey"],
  ["\u001b[2J\u001b]0;title\u0007red", "[2J]0;titlered"],
  ["two  spaces\tand a tab stay", "two  spaces\tand a tab stay"],
  ["$& $'", "$& $'"],
])("returns %j as one line without control characters", (text, line) => {
  expect(inlineText(text)).toBe(line);
});

it("inlineText clips a text to the maximum length", () => {
  expect(inlineText("abcdef", 3)).toBe("abc…");
});

describe("clipText", () => {
  it("clips at the end of a grapheme cluster, for any text and length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat({ max: 40 }), (text, length) => {
        const clipped = clipText(text, length);
        expect(clipped.length).toBeLessThanOrEqual(length);
        expect(text.startsWith(clipped)).toBe(true);
        const clusters = Array.from(new Intl.Segmenter("und").segment(text), ({ index }) => index);
        expect([...clusters, text.length]).toContain(clipped.length);
      }),
    );
  });

  it.each([
    ["family \u{1F468}\u200D\u{1F469}\u200D\u{1F467}!", 10, "family "],
    ["e\u0301te\u0301", 1, ""],
    ["plain", 3, "pla"],
  ])("clips %j at %i", (text, length, clipped) => {
    expect(clipText(text, length)).toBe(clipped);
  });
});

describe("sentences", () => {
  it("end at full stops without a space in Chinese, and not inside a version or a domain", () => {
    expect(sentences("永远不要推送。每个文件都要有测试！好")).toEqual([
      "永远不要推送。",
      "每个文件都要有测试！",
      "好",
    ]);
    expect(sentences("เช้านี้อากาศดีมาก ห้ามลบข้อมูลสำรอง 3 ชุด")).toEqual(["เช้านี้อากาศดีมาก", "ห้ามลบข้อมูลสำรอง 3 ชุด"]);
    expect(sentences("Über v1.2 auf example.org. Nie löschen!")).toEqual([
      "Über v1.2 auf example.org.",
      "Nie löschen!",
    ]);
  });
});
