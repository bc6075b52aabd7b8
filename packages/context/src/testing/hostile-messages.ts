import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { copyMessage } from "../messages/copy-message.js";

/** A message that a reducer lets in and no provider would have sent: one field has a value of a wrong type, size or depth. */
export interface HostileMessage {
  /** Where the value is, and what it is. */
  readonly name: string;
  /** Returns new messages: the hostile one with those that belong to it. */
  readonly build: (prefix: string) => readonly BaseMessage[];
}

/** Returns every place of a message with every hostile value. `huge` is the number of characters of a huge text. */
export function hostileMessages(huge: number): readonly HostileMessage[] {
  const values = hostileValues(huge);
  return Object.entries(places).flatMap(([place, put]) =>
    Object.entries(values).map(([value, make]) => ({
      name: `${place}: ${value}`,
      build: (prefix: string) => put(make(), prefix),
    })),
  );
}

/** Values that JSON or a process can put into any field. */
function hostileValues(huge: number): Readonly<Record<string, () => unknown>> {
  return {
    absent: () => undefined,
    null: () => null,
    boolean: () => true,
    number: () => -5,
    NaN: () => NaN,
    "huge number": () => 1e12,
    bigint: () => 5n,
    text: () => "text",
    "numeric text": () => "5",
    "huge text": () => "lorem ipsum ".repeat(huge / 12),
    "list of null": () => [null],
    "list of lists": () => [[1], [[2]]],
    "list of texts": () => ["a", "b"],
    "empty object": () => ({}),
    "object of methods": () => ({ toString: 1, toJSON: "no", valueOf: null, length: -1, constructor: 5 }),
    "own prototype": () => JSON.parse('{"__proto__": {"polluted": true}, "a": 1}') as unknown,
    "deep object": () => nested(2_500, (inner) => ({ inner })),
    "deep list": () => nested(4_000, (inner) => [inner]),
    cyclic: () => {
      const value: Record<string, unknown> = { a: 1 };
      return Object.assign(value, { self: value, list: [value] });
    },
    date: () => new Date(0),
    map: () => new Map([["a", 1]]),
  };
}

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = "the innermost value";
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
}

type Put = (value: unknown, prefix: string) => readonly BaseMessage[];

const fieldsOfAny = ["content", "name", "id", "additional_kwargs", "response_metadata"] as const;

const places: Readonly<Record<string, Put>> = {
  ...Object.fromEntries(
    fieldsOfAny.map((field) => [`user ${field}`, ofUser((value) => ({ [field]: value }))]),
  ),
  ...Object.fromEntries(
    [...fieldsOfAny, "tool_calls", "invalid_tool_calls", "usage_metadata"].map((field) => [
      `reply ${field}`,
      ofReply((value) => ({ [field]: value })),
    ]),
  ),
  ...Object.fromEntries(
    [...fieldsOfAny, "tool_call_id", "status", "artifact"].map((field) => [
      `result ${field}`,
      ofResult((value) => ({ [field]: value })),
    ]),
  ),
  "system content": (value, id) => [
    copyMessage(new SystemMessage({ id, content: "Be kind." }), { content: value }),
  ],
  "call args": ofCall((args) => ({ args })),
  "call name": ofCall((name) => ({ name })),
  "call id": ofCall((id) => ({ id })),
  "call argument": ofCall((path) => ({ args: { path } })),
  call: ofReply((call) => ({ tool_calls: [call] })),
  "invalid call args": ofReply((args) => ({ invalid_tool_calls: [{ id: "i", name: "look", args }] })),
  "invalid call": ofReply((call) => ({ invalid_tool_calls: [call] })),
  block: ofUser((block) => ({ content: [block, { type: "text", text: "Look at this." }] })),
  "block type": ofUser((type) => ({ content: [{ type, text: "Look at this." }] })),
  "block text": ofUser((text) => ({ content: [{ type: "text", text }] })),
  "block field": ofResult((data) => ({ content: [{ type: "custom", data }] })),
  "call block": ofReply((input) => ({ content: [{ type: "tool_use", id: "b", name: "look", input }] })),
  "call block name": ofReply((name) => ({ content: [{ type: "tool_use", id: "b", name, input: {} }] })),
  "reasoning block": ofReply((thinking) => ({ content: [{ type: "thinking", thinking }] })),
  "compaction block": ofReply((content) => ({ content: [{ type: "compaction", content }] })),
  ...Object.fromEntries(
    ["tool_calls", "reasoning", "reasoning_content", "tool_outputs", "palimpsest"].map((key) => [
      `kwarg ${key}`,
      ofReply((value) => ({ additional_kwargs: { [key]: value } })),
    ]),
  ),
  ...Object.fromEntries(
    ["output", "usage", "context_management", "model_name", "finish_reason", "incomplete_details"].map(
      (key) => [`metadata ${key}`, ofReply((value) => ({ response_metadata: { [key]: value } }))],
    ),
  ),
  "list in metadata": ofReply((value) => ({
    response_metadata: {
      output: [value],
      usage: { iterations: [value] },
      context_management: { applied_edits: [value] },
    },
  })),
  ...Object.fromEntries(
    ["input_tokens", "output_tokens", "total_tokens", "input_token_details"].map((key) => [
      `usage ${key}`,
      ofReply((value) => ({
        usage_metadata: { input_tokens: 9, output_tokens: 9, total_tokens: 18, [key]: value },
      })),
    ]),
  ),
};

type Change = (value: unknown) => Readonly<Record<string, unknown>>;

function ofUser(change: Change): Put {
  return (value, id) => [copyMessage(new HumanMessage({ id, content: "Look." }), change(value))];
}

function ofReply(change: Change): Put {
  return (value, id) => [copyMessage(new AIMessage({ id, content: "I looked." }), change(value))];
}

function ofCall(change: Change): Put {
  return (value, prefix) => {
    const call = {
      id: `${prefix}-call`,
      name: "look",
      args: {},
      type: "tool_call" as const,
      ...change(value),
    };
    const caller = new AIMessage({ id: prefix, content: "" });
    const result = new ToolMessage({
      id: `${prefix}-r`,
      tool_call_id: `${prefix}-call`,
      name: "look",
      content: "ok",
    });
    return [copyMessage(caller, { tool_calls: [call] }), result];
  };
}

function ofResult(change: Change): Put {
  return (value, prefix) => {
    const tool_calls = [{ id: `${prefix}-call`, name: "look", args: {}, type: "tool_call" as const }];
    const result = new ToolMessage({
      id: `${prefix}-r`,
      tool_call_id: `${prefix}-call`,
      name: "look",
      content: "ok",
    });
    return [new AIMessage({ id: prefix, content: "", tool_calls }), copyMessage(result, change(value))];
  };
}
