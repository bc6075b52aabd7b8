import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { engines } from "./testing/engines.js";
import type { RecallIndex } from "./recall-index.js";

const word = fc.constantFrom("heron", "marsh", "reed", "otter", "über", "日本語", "src/a.ts", "12");
const texts = fc.array(
  fc.array(word, { minLength: 1, maxLength: 30 }).map((all) => all.join(" ")),
  { minLength: 2, maxLength: 9 },
);

async function add(index: RecallIndex, thread: string, all: readonly string[]): Promise<void> {
  await index.add(all.map((text, at) => ({ thread, path: `/${at}`, line: 1, text })));
}

async function scores(index: RecallIndex, query: string): Promise<readonly (readonly [string, number])[]> {
  const hits = await index.search(query, { thread: "own", limit: 20 });
  return hits.map(({ path, score }) => [path, Number(score.toPrecision(9))] as const);
}

describe.each(engines)("a search in one thread of $name", (engine) => {
  it("has the order and the scores of an index of that thread alone, whatever other threads hold", async () => {
    await fc.assert(
      fc.asyncProperty(
        texts,
        texts,
        fc.array(word, { minLength: 1, maxLength: 4 }),
        async (own, others, asked) => {
          const query = asked.join(" ");
          const alone = await engine.open(await engine.newPlace());
          await add(alone, "own", own);
          const shared = await engine.open(await engine.newPlace());
          await add(shared, "before", others);
          await add(shared, "own", own);
          await add(shared, "after", [...others, ...others.map((text) => `${text} ${text}`)]);
          const expected = await scores(alone, query);
          expect(await scores(shared, query)).toEqual(expected);
          await shared.removeThread("before");
          expect(await scores(shared, query)).toEqual(expected);
          await Promise.all([alone.close(), shared.close()]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("does not tell which of two words another thread holds", async () => {
    for (const secret of ["zebra", "quagga"]) {
      const index = await engine.open(await engine.newPlace());
      await add(index, "own", ["zebra fence", "quagga fence", "fence gate", "gate hinge", "hinge post"]);
      await add(
        index,
        "secret",
        Array.from({ length: 50 }, (_, at) => `${secret} ${at}`),
      );
      const hits = await scores(index, "zebra quagga");
      expect(hits.map(([path]) => path)).toEqual(["/0", "/1"]);
      expect(hits[0]?.[1]).toBe(hits[1]?.[1]);
      await index.close();
    }
  });
});
