import { toStoredMessage } from "@palimpsest/context";
import { blocksOf } from "@palimpsest/context/folding";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { malformedDirective, playFolding } from "../testing/play-folding.js";

it("folding survives any malformed directive without a lost block or a gap", async () => {
  const steps = 50;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(malformedDirective(steps), { minLength: steps, maxLength: steps }),
      async (texts) => {
        const { messages, events, opened, thread } = await playFolding({
          steps,
          say: (step) => `<context>${texts[step - 1]}</context>`,
          options: { onError: "throw" },
        });
        const blocks = blocksOf(messages);
        expect(blocks[0]?.startStep).toBe(1);
        expect(blocks.at(-1)?.endStep).toBe(steps - 1);
        expect(blocks.slice(1).map(({ startStep }) => startStep)).toEqual(
          blocks.slice(0, -1).map(({ endStep }) => endStep + 1),
        );
        expect(await opened(messages)).toEqual(thread().map((message) => toStoredMessage(message)));
        refused += events.filter(
          (event) => event.type === "context.skip" && event.reason === "bad-directive",
        ).length;
      },
    ),
    { numRuns: 20 },
  );
  expect(refused).toBeGreaterThan(300);
});
