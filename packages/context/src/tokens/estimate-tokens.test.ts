import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import * as fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { historyArbitrary, talk, textArbitrary } from "../testing/index.js";
import { estimateTextTokens, estimateTokens } from "./estimate-tokens.js";
import { countWithGptTokenizer } from "./gpt-tokenizer.js";
import { tokensAtMost } from "./upper-bound.js";
import { imageTokens } from "./media-tokens.js";
import { tokenCounterFrom } from "./token-counter.js";

/** Returns a source of numbers below `limit`, the same on every run. */
function dice(seed: number): (limit: number) => number {
  let state = seed;
  return function roll(limit) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const roll = dice(42);
const hex = (length: number) => Array.from({ length }, () => roll(16).toString(16)).join("");
const uuid = () => [8, 4, 4, 4, 12].map(hex).join("-");
const pick = (words: readonly string[]) => words[roll(words.length)] ?? "";
const sentences = (words: string, join = " ") => {
  const list = words.split(" ");
  return Array.from({ length: 60 }, () => Array.from({ length: 9 }, () => pick(list)).join(join)).join(". ");
};

const texts: Readonly<Record<string, string>> = {
  prose: sentences(
    "the agent reads files and writes what it found into a report because nobody remembers " +
      "which decision was made when connections failed during yesterday deployment of our service",
  ),
  code: Array.from(
    { length: 60 },
    (_, n) =>
      `export function ${pick(["load", "parse", "render", "fold"])}${pick(["User", "Index", "Message"])}(input: string): number {\n` +
      `  const ${pick(["value", "total", "result"])} = input.split("\\n").map((line) => line.trim()).length + ${n};\n  return ${roll(99)};\n}\n`,
  ).join("\n"),
  "JSON with UUIDs": JSON.stringify(
    Array.from({ length: 60 }, (_, n) => ({
      id: uuid(),
      parent: uuid(),
      index: n,
      ok: n % 2 === 0,
      price: roll(99_999) / 100,
    })),
  ),
  "indented JSON": JSON.stringify(
    Array.from({ length: 60 }, (_, n) => ({ name: pick(["alpha", "beta"]), index: n, tags: ["x", "y"] })),
    null,
    2,
  ),
  "a hex log": Array.from(
    { length: 60 },
    (_, n) =>
      `2024-05-01T12:${n}:07.${roll(999)}Z DEBUG [worker-${roll(9)}] block 0x${hex(40)} received, ${roll(99_999)} bytes`,
  ).join("\n"),
  Chinese: sentences(
    "我们 需要 修改 这个 文件 因为 测试 没有 通过 用户 数据库 连接 失败 了 请 检查 日志",
    "",
  ),
  Russian: sentences(
    "агент читает файлы и записывает результат потому что соединение с базой данных было потеряно вчера",
  ),
  base64: Buffer.from(Array.from({ length: 3_000 }, () => roll(256))).toString("base64"),
  "a table": Array.from(
    { length: 60 },
    () => `| ${pick(["left", "right"])} | ${roll(9_999)} | ${roll(100)}% |`,
  ).join("\n"),
};

/** Runs of characters by their kind, with the tokens of a run by its length. */
const runKinds: readonly (readonly [pattern: string, tokens: (length: number) => number])[] = [
  ["[\\0-\\t\\v\\f\\x0e-\\x20]+(?=[0-9])", () => 1],
  ["[\\0-\\t\\v\\f\\x0e-\\x20]+", (length) => (length === 1 ? 0 : 0.9)],
  ["[\\n\\r]+", () => 0.6],
  ["(?<![A-Z])[A-Z][a-z]+|[a-z]+", (length) => (length <= 8 ? 1 : 1 + (length - 8) / 6)],
  ["[A-Z]+", (length) => (length <= 3 ? 1 : length / 3.2)],
  ["[0-9]+", (length) => Math.ceil(length / 3)],
  [
    "[\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f]+",
    (length) => (length <= 2 ? 0.9 : 1 + (length - 2) / 12),
  ],
  ["[\\u3040-\\ud7af]+", (length) => length * 0.72],
  ["[\\x80-\\u1fff]+", (length) => (length <= 4 ? 1 : length / 4.2)],
  ["[\\u2000-\\u303f\\ud7b0-\\uffff]+", (length) => length * 0.9],
];
const anyRun = new RegExp(runKinds.map(([pattern]) => `(${pattern})`).join("|"), "g");

function tokensOfRuns(text: string): number {
  let tokens = 0;
  for (const [run, ...groups] of text.matchAll(anyRun)) {
    tokens += runKinds[groups.findIndex((group) => group !== undefined)]?.[1](run.length) ?? Number.NaN;
  }
  return Math.ceil(tokens);
}

describe("estimateTextTokens", () => {
  it("counts each run of a text by its kind and its length, however long it is", () => {
    const run = fc.tuple(
      fc.constantFrom(..."ab0 .-_A\n\té界".split(""), "😀"),
      fc.integer({ min: 1, max: 70 }),
    );
    const runs = fc.array(run.map(([unit, times]) => unit.repeat(times))).map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(runs, textArbitrary()), (text) => {
        expect(estimateTextTokens(text)).toBe(tokensOfRuns(text));
        expect(estimateTextTokens(text)).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 500 },
    );
  });

  it.each(Object.entries(texts))("comes close to a real tokenizer on %s", (_, text) => {
    const ratio = estimateTextTokens(text) / countTokens(text);
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.35);
  });

  it.each(Object.entries(texts))("extrapolates from samples of a huge text on %s", (_, text) => {
    const times = Math.ceil(1_000_000 / text.length);
    const ratio = estimateTextTokens(`${text}\n`.repeat(times)) / (times * estimateTextTokens(`${text}\n`));
    expect(ratio).toBeGreaterThan(0.97);
    expect(ratio).toBeLessThan(1.03);
  });

  it("counts 0 for an empty text, and never less for a longer one", () => {
    expect(estimateTextTokens("")).toBe(0);
    fc.assert(
      fc.property(textArbitrary(), textArbitrary(), (a, b) => {
        expect(estimateTextTokens(`${a}\n${b}`)).toBeGreaterThanOrEqual(estimateTextTokens(a));
      }),
    );
  });
});

describe.each([
  ["estimateTokens", estimateTokens],
  ["countWithGptTokenizer", countWithGptTokenizer],
])("%s", (_, count) => {
  it("counts a list as the sum of its messages, deterministically, and never throws", () => {
    fc.assert(
      fc.property(historyArbitrary({ maxTurns: 2 }), (messages) => {
        const one = messages.map((message) => count([message]));
        expect(count(messages)).toBe(one.reduce((sum, tokens) => sum + tokens, 0));
        expect(count(messages)).toBe(count([...messages].toReversed()));
        expect(one.every((tokens) => tokens >= 4)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it("never counts more than its upper bound, which reads lengths alone", () => {
    const dense = "aB1-é界😀\ud800".split("").map((unit) => talk.human("h", unit));
    fc.assert(
      fc.property(historyArbitrary({ maxTurns: 2 }), (messages) => {
        for (const message of [...messages, ...dense])
          expect(count([message])).toBeLessThanOrEqual(tokensAtMost([message], count) ?? 0);
      }),
      { numRuns: 50 },
    );
  });

  it("counts an image at a fixed price, independent of its characters", () => {
    const url = `data:image/png;base64,${"A".repeat(400_000)}`;
    const picture = new HumanMessage({ content: [{ type: "image_url", image_url: { url } }] });
    expect(count([picture])).toBe(imageTokens + 4);
  });

  it("counts a document whose source is text by its text", () => {
    const source = { type: "text", media_type: "text/plain", data: "row\n".repeat(20_000) };
    const document = new HumanMessage({ content: [{ type: "document", source }] });
    expect(count([document])).toBeGreaterThan(10 * imageTokens);
  });

  it("counts reasoning like text, wherever the provider keeps it", () => {
    const text = "so the loop ends early ".repeat(2_000);
    const spoken = count([new AIMessage(text)]);
    expect(count([new AIMessage({ content: [{ type: "thinking", thinking: text }] })])).toBe(spoken);
    expect(count([new AIMessage({ content: [{ type: "redacted_thinking", data: text }] })])).toBe(spoken);
    expect(count([new AIMessage({ content: "", additional_kwargs: { reasoning_content: text } })])).toBe(
      spoken,
    );
  });

  it("counts a call once when it is both in a content block and in tool_calls", () => {
    const input = { text: "word ".repeat(500) };
    const call = { type: "tool_call" as const, id: "a", name: "save", args: input };
    const block = { type: "tool_use", id: "a", name: "save", input };
    const plain = count([new AIMessage({ content: "", tool_calls: [call] })]);
    expect(plain).toBeGreaterThan(500);
    expect(count([new AIMessage({ content: [block], tool_calls: [call] })])).toBe(plain);
    expect(count([new AIMessage({ content: [block], tool_calls: [] })])).toBe(plain);
  });

  it("counts the system prompt and the schemas of tools", () => {
    const schema = {
      type: "object",
      properties: { path: { type: "string", description: "where ".repeat(50) } },
    };
    const read = tool(() => "", { name: "read", description: "Reads.", schema: schema as never });
    expect(count([], { systemPrompt: "You are an engineer." })).toBeGreaterThan(4);
    expect(count([], { tools: [read] })).toBeGreaterThan(50);
    expect(count([talk.human("h", "x")], { tools: [read], systemPrompt: "Be brief." })).toBe(
      count([talk.human("h", "x")]) + count([], { tools: [read] }) + count([], { systemPrompt: "Be brief." }),
    );
  });
});

describe("tokenCounterFrom", () => {
  it("counts each message object once, so that a step counts only new messages", () => {
    let counted = 0;
    const count = tokenCounterFrom((text) => {
      counted++;
      return text.length;
    });
    const messages = [talk.human("h", "one"), new ToolMessage({ content: "two", tool_call_id: "c" })];
    expect(count(messages)).toBe(3 + 3 + 8);
    expect(count([...messages, talk.ai("a", "three")])).toBe(3 + 3 + 5 + 12);
    expect(counted).toBe(3);
  });
});
