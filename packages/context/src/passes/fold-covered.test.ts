import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { foldOf } from "../folds/fold.js";
import { reconcile } from "../folds/reconcile.js";
import { unfold } from "../folds/unfold.js";
import { applySummary } from "../summary/apply-summary.js";
import { planSummary } from "../summary/plan-summary.js";
import { messageImage, readerOf, recordWrites, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { foldCovered } from "./fold-covered.js";

const block = { type: "compaction", content: "They read page 1." };
const signature = { encrypted_content: "secret-bytes", signature: "signed" };
const native = (id: string, content: object = block) =>
  new AIMessage({ id, content: [content as never, { type: "text", text: "Next." }] });
const step = (n: number) => [
  talk.calls(`c${n}`, { [`k${n}`]: ["ls"] }),
  talk.result(`r${n}`, `k${n}`, "page"),
];
const before = [talk.system("s", "Rules."), talk.human("h", "Read all."), ...step(1), ...step(2)];
const thread = [...before, native("n"), talk.human("h2", "And now?"), ...step(3), talk.ai("e", "Done.")];

const ids = (messages: readonly BaseMessage[]) => messages.map(({ id }) => id);
const images = (messages: readonly BaseMessage[]) => messages.map(messageImage);

describe("foldCovered", () => {
  it("foldCovered moves what the provider's compaction covers to the archive, and keeps the user's words", async () => {
    const { messages, writes, folds } = foldCovered(thread);
    expect(ids(messages)).toEqual(["s", "h", "n", "h2", "c3", "r3", "e"]);
    expect(foldOf(messages[2]!)).toMatchObject({ kind: "native", carried: [0] });
    expect(messages[2]?.content).toEqual(thread[6]?.content);
    expect(folds).toHaveLength(1);
    const archive = new Map<string, string>();
    recordWrites(archive, writes);
    expect(images(await unfold(messages, readerOf(archive)))).toEqual(images(thread));
  });

  it("foldCovered leaves nothing before a signed block but system messages", () => {
    const signed = [...before, native("n", { ...block, ...signature }), talk.human("h2", "And now?")];
    expect(ids(foldCovered(signed).messages)).toEqual(["s", "n", "h2"]);
  });

  it("foldCovered archives an older compaction whole under the newest one", async () => {
    const archive = new Map<string, string>();
    const first = foldCovered(thread);
    recordWrites(archive, first.writes);
    const second = foldCovered([...first.messages, native("n2", { ...block, content: "All of it." })]);
    recordWrites(archive, second.writes);
    expect(ids(second.messages)).toEqual(["s", "h", "h2", "n2"]);
    const opened = await unfold(second.messages, readerOf(archive));
    expect(images(opened.slice(0, -1))).toEqual(images(thread));
  });

  it("foldCovered changes nothing if a call before the compaction gets its result after it", () => {
    const late = [...before.slice(0, -1), native("n"), before.at(-1)!];
    expect(foldCovered(late)).toEqual({ messages: late, writes: [], folds: [] });
  });

  it("foldCovered writes no encrypted content into the readable file", () => {
    const older = native("n0", { ...block, ...signature });
    const { writes } = foldCovered([talk.human("h", "Read."), older, talk.human("h1", "On"), native("n")]);
    const readable = writes.find(({ path }) => path.endsWith(".md"))?.content ?? "";
    expect(readable).toContain("They read page 1.");
    expect(readable).not.toContain("secret-bytes");
    expect(readable).not.toContain("signed");
  });

  it("a native fold is reconciled if a larger graph still has the covered messages", async () => {
    const { messages, writes } = foldCovered(thread);
    const archive = new Map<string, string>();
    recordWrites(archive, writes);
    const byId = new Map(messages.map((message) => [message.id, message]));
    const merged = thread.map((message) => byId.get(message.id) ?? message);
    expect(ids(await reconcile(merged, readerOf(archive)))).toEqual(ids(messages));
  });
});

describe("a summary after a compaction of the provider", () => {
  it("a summary after a compaction of the provider folds only what follows the results of its calls", () => {
    const calling = new AIMessage({
      id: "n",
      content: [block],
      tool_calls: [{ type: "tool_call", id: "k", name: "ls", args: {} }],
    });
    const messages = [...before, calling, talk.result("rk", "k", "page"), ...step(3), talk.ai("e", "Done.")];
    const plan = planSummary(messages, { cut: messages.length - 1 });
    expect(ids(plan?.head ?? [])).toEqual([...ids(before), "n", "rk"]);
    expect(ids(plan?.folded ?? [])).toEqual(["c3", "r3"]);
    const { messages: after } = applySummary(plan!, { text: "Page 3.", tokenCounter: estimateTokens });
    expect(after.slice(0, 8)).toEqual(messages.slice(0, 8));
  });

  it("a summary is not planned if nothing follows a compaction of the provider", () => {
    expect(planSummary([...before, native("n")], { cut: before.length })).toBeUndefined();
  });
});
