import { estimateTokens, foldOf, toStoredMessage, unfold } from "@palimpsest/context";
import { blocksFor, blocksOf } from "@palimpsest/context/folding";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { playFolding, type PlayOptions } from "../testing/play-folding.js";

const steps = 300;

/** Models that never merge, that merge everything at every step, and that merge the newest ten at every tenth step. */
const models: Readonly<Record<string, PlayOptions["say"]>> = {
  "a model that never folds": () => "",
  "a model that folds everything at every step": (step) => directive(1, step),
  "a model that folds every ten steps": (step) => (step % 10 === 1 ? directive(step - 10, step) : ""),
};

function directive(from: number, step: number): string {
  return step < 3 || from < 1
    ? ""
    : `<context>{"range":[${from},${step - 1}],"summary":"fact ${from}-${step - 1}"}</context>`;
}

it.each(Object.entries(models))(
  "%s: every original is within log2(steps) unfolds, and a fact is rewritten O(log steps) times",
  async (_, say) => {
    const directory = mkdtempSync(join(tmpdir(), "folding-"));
    try {
      const written = await playFolding({
        steps,
        say: say!,
        files: VirtualFilesystem.fromDirectory(directory),
      });
      // As after a restart: only the state and the directory remain.
      const { archive } = VirtualFilesystem.fromDirectory(directory).thread("t");
      let messages = [...written.messages];
      let unfolds = 0;
      while (messages.some((message) => foldOf(message) !== undefined)) {
        messages = await unfold(messages, (path) => archive.readText(path), { levels: 1 });
        unfolds++;
      }
      expect(messages.map((message) => toStoredMessage(message))).toEqual(
        written.thread().map((message) => toStoredMessage(message)),
      );
      expect(unfolds).toBeGreaterThan(1);
      expect(unfolds).toBeLessThanOrEqual(Math.log2(steps));
      const rewrites = written.events.flatMap((event) =>
        event.type === "context.fold" ? [event.fold.generation ?? 0] : [],
      );
      expect(Math.max(...rewrites)).toBeGreaterThan(1);
      expect(Math.max(...rewrites)).toBeLessThanOrEqual(6 + 3 * Math.log2(steps));
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
);

it("a folded context grows with the logarithm of the steps, in blocks and in tokens", async () => {
  const { prompts, thread } = await playFolding({ steps: 400 });
  const counts = prompts.map((prompt) => blocksOf(prompt).length);
  counts.forEach((count, index) => expect(count).toBeLessThanOrEqual(blocksFor(index + 1, 24) + 8));
  const largest = (from: number, to: number) =>
    Math.max(...prompts.slice(from, to).map((prompt) => estimateTokens(prompt)));
  expect(largest(300, 400)).toBeLessThan(1.5 * largest(60, 100));
  expect(estimateTokens(thread())).toBeGreaterThan(10 * largest(0, 400));
});
