import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphSavers } from "../testing/graph-savers.js";
import { playGraph, randomGraph } from "../testing/random-graphs.js";

describe("500 random graphs", () => {
  it.each(graphSavers)(
    "read from $name as from a MemorySaver",
    async ({ create }) => {
      await fc.assert(
        fc.asyncProperty(randomGraph, async (graph) => {
          const saver = await create();
          const { actual, expected } = await playGraph(saver, graph);
          await saver.close();
          expect(actual).toEqual(expected);
        }),
        { numRuns: 500 },
      );
    },
    1_200_000,
  );
});
