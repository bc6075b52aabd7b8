import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { historyArbitrary } from "../testing/index.js";
import { nearAtoms } from "./near-atoms.js";
import { ReuseIndex } from "./reuse-index.js";
import { atomWords } from "./word-table.js";

const radius = 2;

/** Returns the best sum of each string as the definition has it, line by line. */
function definedNear({ atoms, chunks }: ReuseIndex, named: ReadonlySet<number>): readonly number[] {
  const weightOf = (number: number) => Math.log(1 + chunks.length / (atoms.count[number] ?? 1));
  const near = Array.from({ length: atoms.end }, () => 0);
  for (const { lines } of chunks) {
    lines.forEach((line, at) => {
      const around = lines.slice(Math.max(0, at - radius), at + radius + 1);
      const hits = around.flatMap((one) => one.atoms.filter((number) => named.has(number)));
      const sum = hits.reduce((total, number) => total + weightOf(number), 0);
      for (const number of hits.length === 0 ? [] : line.atoms)
        near[number] = Math.max(near[number] ?? 0, sum - (named.has(number) ? weightOf(number) : 0));
    });
  }
  return near;
}

describe("the weight of names around a string", () => {
  it("is the largest sum of weights around one of its lines, over any history, pruned or not", () => {
    let compared = 0;
    fc.assert(
      fc.property(
        historyArbitrary(),
        fc.constantFrom(300, Infinity),
        fc.nat(4),
        (messages, candidateTokens, rest) => {
          const index = new ReuseIndex({ candidateTokens });
          for (const message of messages) index.append([message]);
          const { atoms, chunks } = index;
          const live = chunks.flatMap(({ lines }) => lines.flatMap((line) => line.atoms));
          const named = new Set(live.filter((number) => atoms.isLine[number] === 0 && number % 5 === rest));
          const near = new Float64Array(atoms.end).fill(7);
          nearAtoms(atoms, named, { near, radius, chunks });
          definedNear(index, named).forEach((expected, number) => {
            expect(near[number]).toBeCloseTo(expected, 9);
            if (expected > 0) compared++;
          });
        },
      ),
    );
    expect(compared).toBeGreaterThan(100);
  });
});

describe("words", () => {
  it("are runs of four or more letters, split where a capital follows a small letter, in any text", () => {
    const parts = fc.constantFrom("retry", "Limit", "HTTP", "a", "B", "get", "_", "9", " ", "é", "URLs", "-");
    const texts = fc.oneof(
      fc.string(),
      fc.array(parts).map((some) => some.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const split = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
        expect(atomWords(text)).toEqual([...new Set(split.match(/[a-z]{4,}/g))]);
      }),
    );
  });
});
