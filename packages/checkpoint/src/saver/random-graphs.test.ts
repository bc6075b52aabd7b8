import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphSavers } from "../testing/graph-savers.js";
import { playGraph, randomGraph } from "../testing/random-graphs.js";

/** A saver that ignores the id of a list, as SqliteSaver does. */
class Careless extends MemorySaver {
  override async *list(
    ...[config, options]: Parameters<MemorySaver["list"]>
  ): AsyncGenerator<CheckpointTuple> {
    const { checkpoint_id: _, ...place } = config.configurable ?? {};
    yield* super.list({ configurable: place }, options);
  }
}

describe("random graphs", () => {
  it.each(graphSavers)("read from $name as from a MemorySaver", async ({ create }) => {
    await fc.assert(
      fc.asyncProperty(randomGraph, async (graph) => {
        const saver = await create();
        const { actual, expected } = await playGraph(saver, graph);
        await saver.close();
        expect(actual).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  it("reveal a saver that ignores the conditions of a list", async () => {
    const different = fc.asyncProperty(randomGraph, async (graph) => {
      const { actual, expected } = await playGraph(new Careless(), graph);
      expect(actual).toEqual(expected);
    });
    expect((await fc.check(different, { numRuns: 200 })).failed).toBe(true);
  });
});
