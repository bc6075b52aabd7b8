import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { hostileMessages } from "../../testing/index.js";
import { estimateTokens } from "../../tokens/estimate-tokens.js";
import { copyMessage } from "../copy-message.js";
import { historyMarkdown } from "../history-markdown.js";
import { messageLines } from "../message-lines.js";
import { saidBy } from "../said-by.js";
import { fromStoredMessage, toStoredMessage } from "../stored-message.js";
import { originalMessage, originalMessages } from "./original-message.js";
import { soundMessage } from "./sound-message.js";
import { soundMessages } from "./sound-messages.js";

/** Returns what is wrong with the readings of a message in its sound form, or undefined. */
function faultOf(form: BaseMessage, given: BaseMessage | undefined): string | undefined {
  if (originalMessage(form) !== given) return "it is another message";
  if (!(estimateTokens([form]) > 0)) return "it counts nothing";
  if (historyMarkdown([form]) === "" || saidBy(form) === "") return "it is shown as nothing";
  if (messageLines(form).some(({ text }) => typeof text !== "string")) return "it has lines that are no text";
  const line = JSON.stringify(toStoredMessage(form));
  if (JSON.stringify(toStoredMessage(given)) !== line) return "its form is stored in its place";
  const restored = fromStoredMessage(JSON.parse(line) as ReturnType<typeof toStoredMessage>);
  return JSON.stringify(toStoredMessage(restored)) === line ? undefined : "it is restored as another message";
}

describe("a message with a hostile field", () => {
  it("can be read, and comes back from the archive as it came in", () => {
    const faults = hostileMessages(24_000).flatMap(({ name, build }) => {
      const given = build("m");
      return soundMessages(given).map((form, index) => `${name}: ${faultOf(form, given[index]) ?? "none"}`);
    });
    expect(faults.length).toBeGreaterThan(1_000);
    expect(faults.filter((fault) => !fault.endsWith(": none"))).toEqual([]);
  });
});

describe("soundMessage", () => {
  it("returns ordinary messages themselves", () => {
    const messages = [
      new HumanMessage({ content: [{ type: "image_url", image_url: { url: "data:," } }] }),
      new AIMessage({ content: "", tool_calls: [{ id: "c", name: "look", args: { a: [1, null] } }] }),
      new ToolMessage({ content: [{ type: "text", text: "ok" }], tool_call_id: "c" }),
    ];
    expect(soundMessages(messages)).toBe(messages);
    expect(messages.map(soundMessage)).toEqual(messages);
  });

  it("shows arguments that are no object where arguments that do not parse are", () => {
    const message = copyMessage(new AIMessage(""), { tool_calls: [{ id: "c", name: "look", args: null }] });
    const form = soundMessage(message) as AIMessage;
    expect(form.tool_calls).toEqual([
      { id: "c", name: "look", args: { arguments: null }, type: "tool_call" },
    ]);
    expect(originalMessage(form)).toBe(message);
  });

  it("counts all of a value that is nested too deep", () => {
    let args: object = { text: "word ".repeat(2_000) };
    for (let level = 0; level < 2_500; level++) args = { args };
    const message = copyMessage(new AIMessage(""), { tool_calls: [{ id: "c", name: "look", args }] });
    expect(estimateTokens([message])).toBeGreaterThan(2_000 + 2_500);
  });

  it("gives a copy of a form the fields that came in", () => {
    const message = copyMessage(new AIMessage("words"), { name: { first: 1 } });
    const copy = copyMessage(soundMessage(message), { content: "short" });
    expect(copy.name).toBe('{"first":1}');
    expect(originalMessage(copy)).toMatchObject({ name: { first: 1 }, content: "short" });
  });

  it("makes messages of what a host's reducer keeps as plain objects", () => {
    const given = [{ role: "user", content: "Hello." }, null, "Hi."] as unknown as BaseMessage[];
    const sound = soundMessages(given);
    expect(sound.map((message) => [message.getType(), message.content])).toEqual([
      ["human", "Hello."],
      ["generic", "null"],
      ["human", "Hi."],
    ]);
    expect(originalMessages(sound)).toEqual(given);
  });
});
