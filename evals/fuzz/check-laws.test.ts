import type { BaseMessage } from "@langchain/core/messages";
import { planSummary, trimToArchive } from "@palimpsest/context";
import { messageImage, talk } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { checkLaws } from "./check-laws.js";

const files = VirtualFilesystem.inMemory();
const world = { files, threadId: "t", view: false, channel: false };
const thread = [
  talk.human("h", "Run them."),
  talk.calls("c", { a: ["slow"] }),
  talk.ai("e", "It takes a while."),
  talk.result("r", "a", "done"),
];

/** Folds the thread before `cut`, lets the rest follow, and returns what was broken. */
async function broken(cut: number): Promise<readonly string[]> {
  const plan = planSummary(thread.slice(0, cut), { cut });
  if (plan === undefined) throw new Error("nothing to fold");
  const { messages, writes } = trimToArchive(plan, { tokenCounter: () => 1 });
  for (const { path, content } of writes) await files.thread("t").archive.append(path, content);
  const context: readonly BaseMessage[] = [...messages, ...thread.slice(cut)];
  const images = thread.map(messageImage);
  return checkLaws({ thread, images, before: context, state: { messages: context }, world });
}

it("the law on unseen results counts the model's own message as seen, also when a late result follows its fold", async () => {
  expect(await broken(3)).toEqual([]);
});

it("the law on unseen results finds a result that was folded before the model saw it", async () => {
  const found = (await broken(4)).filter((one) => one.startsWith("law 6"));
  expect(found).toEqual(["law 6: message r was folded before the model had seen it"]);
});
