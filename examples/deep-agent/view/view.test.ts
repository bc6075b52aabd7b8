import { PassThrough } from "node:stream";
import * as fc from "fast-check";
import picocolors from "picocolors";
import { describe, expect, it } from "vitest";
import { type DemoEvent } from "../events.js";
import { type DemoResult } from "../demo-result.js";
import { gauge } from "./gauge.js";
import { liveView } from "./live-view.js";
import { plainView } from "./plain-view.js";
import { replyLine } from "./reply-line.js";
import { resultTable } from "./result-table.js";
import { todoLine } from "./todo-line.js";

const colors = picocolors.createColors(false);
const tokens = fc.nat(9_000);
const partsOf = fc
  .tuple(tokens, tokens, tokens, tokens, tokens)
  .map(([system, user, summaries, results, assistant]) => {
    const total = system + user + summaries + results + assistant;
    return { system, user, summaries, results, assistant, total };
  });

const events: DemoEvent[] = [
  {
    type: "prompt",
    threadId: "t",
    step: 3,
    parts: { system: 1, user: 2, summaries: 3, results: 4, assistant: 5, total: 16_000 },
  },
  { type: "reply", threadId: "t", text: "Now: reading.\nmore", tools: ["grep", "grep", "ls"] },
  { type: "todos", threadId: "t", todos: [{ content: "zod", status: "in_progress" }] },
  {
    type: "context",
    event: {
      type: "context.fold",
      reason: "arrival",
      threadId: "t",
      fold: { id: "f", kind: "offload", path: "/context/x", covers: [], tokensBefore: 9000, tokensAfter: 90 },
    },
  },
];

const result: DemoResult = {
  packages: 1,
  steps: 9,
  subagentSteps: 0,
  toolTokens: 1,
  windowTokens: 32_000,
  peakPromptTokens: 30_000,
  folds: { offload: 2, mask: 0 },
  safetyNetFires: 0,
  compressContextCalls: 0,
  answersCorrect: 6,
  answersTotal: 6,
  messagesUnfolded: 3,
  bytesIdentical: true,
  overflowStepWithout: 7,
  seconds: 12.3,
};

function shown(view: typeof plainView): string {
  const stream = new PassThrough();
  const written: string[] = [];
  stream.on("data", (data: Buffer) => written.push(data.toString()));
  const options = {
    stream: stream as unknown as NodeJS.WriteStream,
    colors,
    window: 32_000,
    mainThread: "t",
  };
  const { watch, print, end } = view(options);
  for (const event of events) watch(event);
  end();
  print(["the end"]);
  return written.join("");
}

describe("the view", () => {
  it("draws a gauge as wide as it is asked to be, for any prompt", () => {
    fc.assert(
      fc.property(partsOf, fc.integer({ min: 10, max: 80 }), (parts, width) => {
        const [bar = ""] = gauge(parts, { window: 32_000, width, colors });
        expect(bar.replaceAll(/[^█░]/g, "")).toHaveLength(width);
      }),
    );
  });

  it("keeps the todo list within its width", () => {
    const todos = ["a", "b", "c"].map((content) => ({
      content: content.repeat(20),
      status: "pending" as const,
    }));
    expect(todoLine(todos, { width: 40, colors })).toBe(`todo    0/3  ○ ${"a".repeat(20)}`);
  });

  it("says what the model does in one line, each tool once", () => {
    expect(replyLine("Now: reading.\nmore", ["grep", "grep", "ls"])).toBe("reading. → 2 × grep, ls");
  });

  it("writes plain lines where it cannot redraw", () => {
    expect(shown(plainView).split("\n")).toEqual([
      "call 3, 16,000 of 32,000 tokens: reading. → 2 × grep, ls",
      "  ⇲ offload    9,000 → 90    /context/x (arrival)",
      "the end",
      "",
    ]);
  });

  it("redraws gauge and todo list below the folds in a terminal", () => {
    const text = shown(liveView);
    expect(text).toContain("50 % of 32,000");
    expect(text).toContain("▶ zod");
    expect(text.indexOf("offload")).toBeLessThan(text.lastIndexOf("context "));
    expect(text.endsWith("the end\n")).toBe(true);
  });

  it("ends with a table of both runs", () => {
    const table = resultTable(result, colors).join("\n");
    expect(table).toContain("stopped at call 7");
    expect(table).toContain("6 of 6");
    expect(table).toContain("2 offload");
    expect(table).not.toContain("0 mask");
  });

  it("keeps the table within 80 columns", () => {
    const folds = { offload: 1_063, stale: 1_012, input: 1_013, mask: 1_000, summary: 1_021, trim: 1_005 };
    const large = { ...result, steps: 12_345, subagentSteps: 9_999, messagesUnfolded: 12_345, folds };
    const lines = resultTable(large, colors);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    for (const kind of Object.keys(folds)) expect(lines.join("\n")).toContain(kind);
  });
});
