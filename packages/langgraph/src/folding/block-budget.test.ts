import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { estimateTokens, toStoredMessage } from "@palimpsest/context";
import { blockOf, blocksOf } from "@palimpsest/context/folding";
import { expect, it } from "vitest";
import { playFolding } from "../testing/play-folding.js";

/** Returns the blocks of a prompt without the notice before the first one, which never changes. */
const linesOf = (prompt: readonly BaseMessage[]) =>
  prompt
    .filter((message) => blockOf(message) !== undefined)
    .map(({ text }) => new HumanMessage(text.replace(/^\[MULTI_SCALE_STATE_SUMMARIES\].*\n/, "")));

it("all blocks together stay within blockTokens: the oldest merge, and every step comes back", async () => {
  const blockTokens = 600;
  const steps = 60;
  const options = { blockTokens, recentBlocks: 2 };
  const { prompts, messages, opened, thread } = await playFolding({ steps, options });
  const sizes = prompts.map((prompt) => estimateTokens(linesOf(prompt)));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(blockTokens);
  expect(Math.max(...sizes)).toBeGreaterThan(blockTokens / 2);
  const blocks = blocksOf(messages);
  expect([blocks[0]?.startStep, blocks.at(-1)?.endStep]).toEqual([1, steps - 1]);
  expect(blocks.map(({ scale }) => scale)).toContain("macro");
  expect(await opened(messages)).toEqual(thread().map((message) => toStoredMessage(message)));
});
