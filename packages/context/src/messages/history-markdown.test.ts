import { AIMessage, HumanMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { historyArbitrary, talk } from "../testing/index.js";
import { historyMarkdown } from "./history-markdown.js";
import { messageText } from "./text.js";

describe("historyMarkdown", () => {
  it("shows a heading, the text and the calls of each message, without reasoning", () => {
    const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const text = historyMarkdown([
      new HumanMessage({ content: [{ type: "text", text: "look" }, picture] }),
      new AIMessage({
        id: "a",
        content: [
          { type: "thinking", thinking: "a cat?" },
          { type: "tool_use", id: "c", name: "zoom", input: { by: 2 } },
        ],
        tool_calls: [{ id: "c", name: "zoom", args: { by: 2 } }],
      }),
      talk.error("r", "c", "too large"),
    ]);
    expect(text).toBe(
      [
        "## 1. human\n\nlook\n\n[image_url block: see the record beside this file]\n",
        '## 2. ai `a`\n\nCalls zoom: {"by":2}\n',
        "## 3. tool tool (error) `r`\n\ntoo large\n",
      ].join("\n"),
    );
  });

  it("shows the text of a document, and of a search by the provider what can be read", () => {
    const source = { type: "text", media_type: "text/plain", data: "The lease\nends in May." };
    const hit = { type: "web_search_result", url: "https://a.example", encrypted_content: "Eo8PCioIARgB" };
    const text = historyMarkdown([
      new HumanMessage({ content: [{ type: "document", source }] }),
      new AIMessage({ content: [{ type: "web_search_tool_result", tool_use_id: "s", content: [hit] }] }),
    ]);
    expect(text).toContain("The lease\nends in May.");
    expect(text).toContain('"url":"https://a.example"');
    expect(text).not.toContain("Eo8PCioIARgB");
  });

  it("contains the text of every message", () => {
    fc.assert(
      fc.property(historyArbitrary({ maxTurns: 2 }), (messages) => {
        const text = historyMarkdown(messages);
        expect(
          messages.filter((message) => !text.includes(messageText(message).split("\n")[0] ?? "")),
        ).toEqual([]);
      }),
    );
  });
});
