import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { historyArbitrary } from "../testing/index.js";
import { leaveOut } from "./excerpts.js";
import { renderExcerpt, ShownNames } from "./render-excerpt.js";
import { ReuseIndex } from "./reuse-index.js";
import { selectContext, type ContextSelection, type KeptContext } from "./select-context.js";
import { massBehind, selectOnward } from "./select-onward.js";

/** Ends before the first chunk. */
const nothing: KeptContext = { end: -1, whole: new Set(), texts: [], tokens: 0 };
const budgets = fc.integer({ min: 60, max: 3_000 });

function indexOf(messages: readonly BaseMessage[]): ReuseIndex {
  const index = new ReuseIndex();
  for (const message of messages) index.append([message]);
  return index;
}

/** The excerpts of a selection as prefixes of a context, each a line of excerpts longer. */
function prefixesOf(index: ReuseIndex, { excerpts }: ContextSelection): readonly KeptContext[] {
  const texts = [...excerpts].map(([at, blocks]) => {
    const chunk = index.chunks[at];
    return chunk === undefined ? "" : renderExcerpt(chunk, blocks, `${at}-abcdef`);
  });
  return texts.map((_, at) => {
    const shown = texts.slice(0, at + 1);
    return { ...nothing, texts: shown, tokens: shown.join("\n").length / 4 };
  });
}

/** A call whose lines the user repeats: words find its blank last line, which promises nothing and opens the excerpt. */
function repeatedCall(): BaseMessage[] {
  const line = "const total = items.reduce((sum, item) => sum + item.price, 0);";
  const call = {
    id: "call",
    name: "write_file",
    args: { file_path: "src/a.ts", content: `${line}\n`.repeat(5) },
  };
  return [
    new HumanMessage({ id: "m0", content: "" }),
    new AIMessage({ id: "m1", content: "", tool_calls: [call] }),
    new ToolMessage({ id: "m2", content: "\n", tool_call_id: "call" }),
    new HumanMessage({ id: "m3", content: line }),
  ];
}

describe("a selection with a kept prefix", () => {
  it("a selection after a kept prefix has an exact estimate when the prefix shows nothing", () => {
    fc.assert(
      fc.property(historyArbitrary(), budgets, (messages, budget) => {
        const index = indexOf(messages);
        const fresh = selectContext(index, { budget });
        const [mass] = massBehind(index, fresh, { budget })([nothing]);
        expect(mass).toBeCloseTo(fresh.mass, 6);
      }),
      { numRuns: 60, examples: [[repeatedCall(), 71]] },
    );
  });

  it("a selection after a kept prefix stays within its budget, and shows as much as a new selection when the prefix is empty", () => {
    fc.assert(
      fc.property(historyArbitrary(), budgets, (messages, budget) => {
        const before = indexOf(messages.slice(0, -2));
        const prefixes = prefixesOf(before, selectContext(before, { budget }));
        const index = indexOf(messages);
        const { selection, kept } = selectOnward(index, { budget, limit: 1.1 * budget, prefixes });
        expect(kept === undefined || prefixes.includes(kept)).toBe(true);
        const behind = selectContext(index, kept === undefined ? { budget } : { budget, kept });
        expect(selection.excerpts).toEqual(behind.excerpts);
        const whole = [...selection.whole.keys()].reduce(
          (sum, at) => sum + (index.chunks[at]?.tokens ?? 0),
          0,
        );
        expect(Math.min(selection.tokens, selection.tokens - whole)).toBeLessThanOrEqual(budget);
      }),
      { numRuns: 60 },
    );
  });
});

it("a shortened selection loses only its last blocks, and at least the requested tokens", () => {
  fc.assert(
    fc.property(historyArbitrary(), budgets, fc.integer({ min: 1, max: 300 }), (messages, budget, tokens) => {
      const selection = selectContext(indexOf(messages), { budget });
      const size = selection.order.reduceRight((sum, block) => sum + block.tokens, 0);
      const shorter = leaveOut(selection, tokens);
      expect(shorter === undefined).toBe(size < tokens);
      if (shorter === undefined) return;
      expect(shorter.order).toEqual(selection.order.slice(0, shorter.order.length));
      expect([...shorter.excerpts.values()].flat()).toHaveLength(shorter.order.length);
      expect(shorter.tokens).toBeLessThanOrEqual(selection.tokens - tokens);
    }),
    { numRuns: 60 },
  );
});

it("the strings of a text have the same numbers as without a cache, while an index grows and prunes", () => {
  let pruned = 0;
  const files = fc.array(fc.integer({ min: 0, max: 150 }), { minLength: 90, maxLength: 130 });
  fc.assert(
    fc.property(files, (read) => {
      const index = new ReuseIndex({ candidateTokens: 300 });
      const texts = read.map((file) => `const retryLimit_${file} = limitOf(service_${file});`);
      texts.forEach((text, at) => {
        const before = index.atoms.size;
        index.append([new AIMessage(`Reading src/module_${read[at]}.ts:\n${text}`)]);
        if (index.atoms.size < before) pruned++;
        for (const shown of texts.slice(0, 5)) {
          const plain: number[] = [];
          new ShownNames().each(shown, (name) => plain.push(index.atoms.numberOf(name) ?? -1));
          expect(index.atomsIn(shown)).toEqual([...new Set(plain.filter((number) => number >= 0))]);
        }
      });
    }),
    { numRuns: 8 },
  );
  expect(pruned).toBeGreaterThan(0);
});

it("the line cache does not change the strings of a text", () => {
  const names = new ShownNames();
  const read = (text: string) => {
    const found: string[] = [];
    names.each(text, (name) => found.push(name));
    return found;
  };
  const text = "const retryLimit_7 = limitOf(serviceA);\n\nSee src/lib/retry.ts\nSee src/lib/retry.ts";
  const first = read(text);
  expect(first).toEqual(expect.arrayContaining(["retryLimit_7", "limitOf", "serviceA", "src/lib/retry.ts"]));
  names.turn();
  expect(read(text)).toEqual(first);
  names.turn();
  names.turn();
  expect(read(text)).toEqual(first);
});
