import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { planSummary, trimToArchive } from "@palimpsest/context";
import { withoutReasoning } from "@palimpsest/context/internal";
import { messageImage, talk } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { checkLaws } from "./check-laws.js";
import { ReasoningRecord } from "./reasoning-record.js";

const files = VirtualFilesystem.inMemory();
const world = { files, threadId: "t", view: false, channel: false };
const reasoning = new ReasoningRecord();
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
  return checkLaws({ thread, images, before: context, state: { messages: context }, world, reasoning });
}

it("the law on unseen results counts the model's own message as seen, also when a late result follows its fold", async () => {
  expect(await broken(3)).toEqual([]);
});

it("the law on unseen results finds a result that was folded before the model saw it", async () => {
  const found = (await broken(4)).filter((one) => one.startsWith("law 6"));
  expect(found).toEqual(["law 6: message r was folded before the model had seen it"]);
});

it("the law on progress allows the placeholder of a reply that was nothing but reasoning, and no other growth", async () => {
  const asked = talk.human("h", "Run them.");
  const reply = new AIMessage({ id: "a", content: "", additional_kwargs: { reasoning: { id: "rs" } } });
  const before = [asked, reply];
  const step = { thread: before, images: before.map(messageImage), before, world, reasoning };
  const placed = [asked, withoutReasoning(reply)];
  const longer = [asked, new AIMessage({ id: "a", content: "(there was no answer to this)" })];
  const grownBy = async (messages: readonly BaseMessage[]) =>
    (await checkLaws({ ...step, state: { messages } })).filter((one) => one.startsWith("law 4"));
  expect(await grownBy(placed)).toEqual([]);
  expect(await grownBy(longer)).toHaveLength(1);
});

it("the law on progress counts the placeholder of one reply beside the reasoning of another", async () => {
  const thinking = { type: "thinking", thinking: "Let me look at all of this first.", signature: "s" };
  const first = new AIMessage({ id: "a", content: [thinking, { type: "text", text: "Done." }] });
  const second = new AIMessage({ id: "b", content: [{ type: "reasoning", reasoning: "" }] });
  const before = [talk.human("h", "Run them."), first, second];
  const messages = [...before.slice(0, 2), withoutReasoning(second)];
  const step = { thread: before, images: before.map(messageImage), before, world, reasoning };
  const found = await checkLaws({ ...step, state: { messages } });
  expect(found.filter((one) => one.startsWith("law 4"))).toEqual([]);
});
