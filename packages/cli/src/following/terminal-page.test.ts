import { HumanMessage } from "@langchain/core/messages";
import { parts, type NewestStep } from "@palimpsest/inspector";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { terminalPage } from "./terminal-page.js";

const fold = {
  id: "f",
  kind: "summary" as const,
  reason: "trigger",
  messages: 3,
  before: 900,
  after: 90,
  path: "/context/history/0001.md",
  usage: null,
};

const step = (tokens: readonly number[], folds = 0): NewestStep => ({
  row: {
    id: "c",
    step: 3,
    at: "2026-01-01T00:00:00.000Z",
    tokens: [...tokens],
    messages: 20,
    unchanged: 0,
    unchangedTokens: 0,
    isEpoch: false,
    folds: Array.from({ length: folds }, () => fold),
    opened: [],
    faults: [],
    calls: [],
    label: "",
  },
  context: Array.from({ length: 20 }, (_, at) => new HumanMessage(`Message ${at}.`)),
  window: undefined,
  back: 0,
});

const anyTokens = fc.array(fc.nat({ max: 50_000 }), { minLength: parts.length, maxLength: parts.length });

it("terminalPage fills the width of the terminal with the gauge and no more, at any share of the parts", () => {
  fc.assert(
    fc.property(anyTokens, fc.integer({ min: 20, max: 300 }), (tokens, columns) => {
      const page = terminalPage("t", step(tokens), { window: 400_000, columns, rows: 24, hasColors: false });
      expect(page.split("\n")[2]).toHaveLength(columns - 2);
    }),
  );
});

it("terminalPage fits into the lines of a terminal of 24, and shows the newest message in a smaller one", () => {
  const tokens = parts.map(() => 100);
  const options = { window: undefined, columns: 80, hasColors: false };
  const page = terminalPage("t", step(tokens, 9), { ...options, rows: 20 });
  expect(page.split("\n").length).toBeLessThanOrEqual(20);
  expect(page).toContain("and 3 earlier ones");
  for (const rows of [20, 5])
    expect(terminalPage("t", step(tokens, 9), { ...options, rows })).toMatch(/Message 19\.$/u);
});

it("terminalPage tells the parts apart by color, or without colors by pattern", () => {
  const tokens = parts.map(() => 100);
  const options = { window: undefined, columns: 82, rows: 24 };
  const plain = terminalPage("t", step(tokens), { ...options, hasColors: false });
  expect(new Set(plain.split("\n")[2]).size).toBe(parts.length);
  expect(plain).not.toContain("\u001b");
  const colored = terminalPage("t", step(tokens), { ...options, hasColors: true });
  const bars = (colored.split("\n")[2] ?? "").match(/\[38;5;\d+m█/gu);
  expect(new Set(bars).size).toBe(parts.length);
});
