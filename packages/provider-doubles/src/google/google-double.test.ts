import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { ChatGoogle } from "@langchain/google";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ScriptedReply } from "../scripted-reply.js";
import { contentsFault, type Content } from "./contents.js";
import { googleDouble, type GoogleDouble } from "./google-double.js";

const read = { name: "read", description: "Reads.", schema: { type: "object" as const, properties: {} } };

let server: GoogleDouble;
let script: ScriptedReply;
beforeEach(async () => {
  const call = { name: "read", args: {} };
  script = { thinking: "Let me look.", text: "Reading.", calls: [call, call] };
  server = await googleDouble({ reply: () => script });
});
afterEach(() => server.close());

function client(streaming = false, model = "gemini-3-double") {
  return new ChatGoogle({ model, apiKey: "none", endpoint: server.url, streaming, maxRetries: 0 }).bindTools([
    read,
  ]);
}

/** Plays a tool loop of three steps with two calls each. */
async function play(streaming: boolean): Promise<BaseMessage[]> {
  const messages: BaseMessage[] = [new SystemMessage("You audit."), new HumanMessage("Audit it.")];
  for (let step = 0; step < 3; step++) {
    const reply = await client(streaming).invoke(messages);
    const result = (id: string) => new ToolMessage({ tool_call_id: id, content: `Result ${step}` });
    messages.push(reply, ...(reply.tool_calls ?? []).map(({ id }) => result(id ?? "")));
  }
  return messages;
}

function withoutSignatures(reply: BaseMessage): BaseMessage {
  const content = JSON.stringify(reply.content, (key, value: unknown) =>
    key === "thoughtSignature" ? undefined : value,
  );
  return new AIMessage({ ...reply.lc_kwargs, content: JSON.parse(content) as never });
}

describe.each([false, true])("the Gemini double with the real client, streaming %s", (streaming) => {
  it("the Gemini double gets every signature back with its part", async () => {
    await play(streaming);
    expect(server.calls.map(({ status, error }) => error ?? status)).toEqual([200, 200, 200]);
    expect(server.calls.map(({ signatures }) => signatures)).toEqual([0, 1, 2]);
  });

  it("the Gemini double refuses a call of the current turn whose part lost its signature", async () => {
    const messages = await play(streaming);
    const edited = messages.with(2, withoutSignatures(messages[2]!));
    await expect(client(streaming).invoke(edited)).rejects.toThrow(/missing a thought_signature/);
    await client(streaming).invoke([...edited, new AIMessage("Done."), new HumanMessage("And now?")]);
    expect(server.calls.at(-1)?.status).toBe(200);
  });
});

it("the Gemini double refuses a prompt over its window", async () => {
  await server.close();
  server = await googleDouble({ reply: () => script, contextWindow: 10 });
  await expect(client().invoke([new HumanMessage("Audit it, all of it.")])).rejects.toThrow(
    /input token count .* exceeds/,
  );
});

const user = { role: "user", parts: [{ text: "Go." }] };
const called = (...signatures: (string | undefined)[]): Content => ({
  role: "model",
  parts: signatures.map((signature) => ({
    functionCall: { name: "read" },
    ...(signature === undefined ? {} : { thoughtSignature: signature }),
  })),
});
const answered = (count: number): Content => ({
  role: "user",
  parts: Array.from({ length: count }, () => ({ functionResponse: { name: "read" } })),
});

const fault = (contents: readonly Content[], model = "gemini-3-pro") =>
  contentsFault(contents, { model, issued: new Set(["s"]) });

describe("the published rules on contents", () => {
  it.each<[string, readonly Content[]]>([
    ["the first of parallel calls is signed", [user, called("s", undefined), answered(2)]],
    ["each step is signed", [user, called("s"), answered(1), called("s"), answered(1)]],
    ["a placeholder stands for a signature", [user, called("skip_thought_signature_validator"), answered(1)]],
    ["an earlier turn is not", [user, called(undefined), answered(1), user]],
    ["a text is not", [user, { role: "model", parts: [{ text: "Hm." }] }, user]],
  ])("the published rules accept contents in which %s", (_, contents) => {
    expect(fault(contents)).toBeUndefined();
  });

  it.each<[string, readonly Content[], RegExp]>([
    [
      "the first call is not signed",
      [user, called(undefined, "s"), answered(2)],
      /missing a thought_signature/,
    ],
    [
      "a later step is not signed",
      [user, called("s"), answered(1), called(undefined), answered(1)],
      /missing a thought_signature/,
    ],
    ["a signature is foreign", [user, called("x"), answered(1)], /Corrupted thought signature/],
    [
      "a response is missing",
      [user, called("s", undefined), answered(1)],
      /number of function response parts/,
    ],
    ["a response has no call", [user, answered(1)], /number of function response parts/],
    ["a call ends the contents", [user, called("s")], /number of function response parts/],
    [
      "a call follows the model",
      [user, { role: "model", parts: [{ text: "Hm." }] }, called("s"), answered(1)],
      /immediately after a user turn/,
    ],
    ["a content is empty", [user, { role: "model", parts: [] }], /must not be empty/],
  ])("the published rules refuse contents in which %s", (_, contents, message) => {
    expect(fault(contents)).toMatch(message);
  });

  it("the published rules ask models before the third generation for no signature", () => {
    expect(fault([user, called(undefined), answered(1)], "gemini-2.5-pro")).toBeUndefined();
  });
});
