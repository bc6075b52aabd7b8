import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldOf } from "../folds/fold.js";
import { unfold } from "../folds/unfold.js";
import { withIds } from "../messages/message-id.js";
import {
  addedIllegalities,
  historyArbitrary,
  messageImage,
  readerOf,
  recordWrites,
} from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { foldBlocks, keptIds } from "./fold-blocks.js";
import { foldUnits } from "./fold-units.js";
import { blocksOf } from "./state-block.js";

const history = historyArbitrary().map((messages) => withIds(messages));
const limits = fc.record({
  microTokens: fc.integer({ min: 1, max: 80 }),
  userTokens: fc.integer({ min: 1, max: 200 }),
});
const runs = { numRuns: 100 };

describe("the micro blocks of any history", () => {
  it("the micro blocks of any history form a legal message list and unfold to that history", async () => {
    let folds = 0;
    await fc.assert(
      fc.asyncProperty(history, limits, async (messages, options) => {
        const rewrite = foldBlocks(messages, options);
        const archive = new Map<string, string>();
        recordWrites(archive, rewrite.writes);
        folds += rewrite.folds.length;
        expect(addedIllegalities(messages, rewrite.messages)).toEqual([]);
        const opened = await unfold(rewrite.messages, readerOf(archive));
        expect(opened.map(messageImage)).toEqual(messages.map(messageImage));
      }),
      runs,
    );
    expect(folds).toBeGreaterThan(50);
  });

  it("micro blocks cover each step once, in order, and are the same on every run", () => {
    fc.assert(
      fc.property(history, limits, (messages, options) => {
        const rewrite = foldBlocks(messages, options);
        const steps = foldUnits(rewrite.messages).filter(({ kind }) => kind !== "words");
        const starts = steps.map(({ startStep }) => startStep);
        expect(starts).toEqual([1, ...steps.map(({ endStep }) => endStep + 1)].slice(0, starts.length));
        expect(foldBlocks(messages, options).folds).toEqual(rewrite.folds);
        expect(foldBlocks(rewrite.messages, options).folds).toEqual([]);
        expect(rewrite.folds.map(({ block }) => block?.id)).toEqual(
          blocksOf(rewrite.messages).map(({ id }) => id),
        );
      }),
      runs,
    );
  });

  it("foldBlocks changes neither pinned steps nor its input", () => {
    fc.assert(
      fc.property(history, (messages) => {
        const before = messages.map(messageImage);
        const pinned = foldBlocks(messages, { pin: () => true });
        expect(
          pinned.messages.some((message) => foldOf(message) !== undefined && !messages.includes(message)),
        ).toBe(false);
        expect(messages.map(messageImage)).toEqual(before);
      }),
      runs,
    );
  });
});

it("what stays beside blocks has no turns of the model in a row that the history has not", () => {
  let kept = 0;
  fc.assert(
    fc.property(history, fc.integer({ min: 0, max: 6 }), (messages, pinned) => {
      const pin = ({ id }: { readonly id?: string | undefined }) =>
        Number.parseInt(id?.at(-1) ?? "", 16) % 7 === pinned;
      const ids = keptIds(foldUnits(messages), { userTokens: 0, tokenCounter: estimateTokens, pin });
      const stays = messages.filter(({ id }) => ids.has(id ?? ""));
      kept += stays.length;
      const added = addedIllegalities(messages, stays);
      expect(added.filter((one) => one.includes("right behind"))).toEqual([]);
    }),
    { numRuns: 500 },
  );
  expect(kept).toBeGreaterThan(500);
});
