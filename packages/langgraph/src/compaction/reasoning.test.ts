import { hasBoundReasoning } from "@palimpsest/context/testing";
import { describe, expect, it } from "vitest";
import { readings, readPages } from "../testing/reading-with-reasoning.js";

const steps = 12;
/** Every node, and the ladder streaming too: the slow tests hold all readings. */
const quick = readings.filter(({ name, streaming }) => !streaming || name === "compactionNode");

describe("a model that binds its reasoning to an unchanged prefix", () => {
  it.each(quick)(
    "has every call accepted and finds all its reasoning in the unfolded thread: $name, $provider, streaming $streaming",
    async (reading) => {
      const { calls, thread, rewrittenBefore } = await readPages({ ...reading, steps });
      expect(rewrittenBefore.size).toBeGreaterThan(0);
      expect(calls).toHaveLength(steps + 1);
      expect(calls.filter(({ status, invalid }) => status !== 200 || invalid.length > 0)).toEqual([]);
      expect(thread.filter(hasBoundReasoning)).toHaveLength(steps + 1);
    },
  );

  it.each(["anthropic", "openai"] as const)(
    "keeps all its reasoning between two compactions: %s",
    async (provider) => {
      const reading = { name: "compactionNode", provider, streaming: false, steps };
      const { lost, rewrittenBefore } = await readPages(reading);
      expect(lost.filter((call) => !rewrittenBefore.has(call))).toEqual([]);
      expect(lost.length).toBeLessThan(steps / 5);
    },
  );
});
