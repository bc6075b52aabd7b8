import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldOf } from "../folds/fold.js";
import { unchanged, type ArchiveWrite, type Rewrite } from "../folds/rewrite.js";
import { unfold } from "../folds/unfold.js";
import { copyMessage } from "../messages/copy-message.js";
import { withIds } from "../messages/message-id.js";
import { hasBoundReasoning } from "../messages/provider/reasoning.js";
import { toStoredMessage } from "../messages/stored-message.js";
import { historyArbitrary, recordWrites } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { foldCovered } from "./fold-covered.js";
import { foldContent } from "./fold-content.js";
import { dropReasoning, dropStaleReasoning, staleStart } from "./drop-stale-reasoning.js";
import { maskToolResults } from "./mask-tool-results.js";
import { truncateToolInputs } from "./truncate-tool-inputs.js";

const thinking = (text: string) => ({ type: "thinking", thinking: text, signature: `signed ${text}` });
const step = (at: number, result = `Result ${at}`): BaseMessage[] => [
  new AIMessage({
    id: `a${at}`,
    content: [thinking(`Thought ${at}`), { type: "text", text: `Step ${at}` }],
    tool_calls: [{ id: `k${at}`, name: "read", args: { note: "n".repeat(at === 1 ? 3_000 : 3) } }],
  }),
  new ToolMessage({ id: `r${at}`, tool_call_id: `k${at}`, content: result }),
];
const thread = [
  new HumanMessage({ id: "h", content: "Go" }),
  ...step(1),
  ...step(2, "x".repeat(900)),
  ...step(3),
];

const readerOf = (writes: readonly ArchiveWrite[]) => {
  const archive = new Map<string, string>();
  recordWrites(archive, writes);
  return (path: string) => Promise.resolve(archive.get(path) ?? "");
};
const pathOnly = ({ path }: { readonly path: string }) => path;
const drop = (rewrite: Rewrite) =>
  dropReasoning(rewrite, { newest: "r3", tokenCounter: estimateTokens, isStale: () => true });
const unbound = (message: BaseMessage) =>
  copyMessage(message, { response_metadata: { model: "claude-sonnet-4-5" } });
const thinks = (messages: readonly BaseMessage[]) => messages.filter(hasBoundReasoning).map(({ id }) => id);
const replace = (index: number) =>
  thread.with(index, new ToolMessage({ ...thread[index]!.lc_kwargs, content: "short" } as never));

describe("stale reasoning", () => {
  it("stale reasoning is the reasoning after the first changed message", () => {
    expect(
      thinks(dropStaleReasoning(thread, unchanged(replace(4)), { tokenCounter: estimateTokens }).messages),
    ).toEqual(["a1", "a2"]);
    expect(
      thinks(dropStaleReasoning(thread, unchanged(replace(2)), { tokenCounter: estimateTokens }).messages),
    ).toEqual(["a1"]);
    expect(dropStaleReasoning(thread, unchanged(thread), { tokenCounter: estimateTokens })).toEqual(
      unchanged(thread),
    );
  });

  it("the reasoning of a message with truncated inputs is not stale, because it precedes them", () => {
    const rewrite = truncateToolInputs(thread);
    expect(thinks(dropStaleReasoning(thread, rewrite, { tokenCounter: estimateTokens }).messages)).toEqual([
      "a1",
    ]);
  });

  it("dropStaleReasoning keeps reasoning after a compaction of the provider, whatever leaves the context before it", () => {
    const block = { type: "compaction", content: "They went." };
    const compaction = new AIMessage({ id: "n", content: [block, thinking("Thought n")] });
    const compacted = [...thread.slice(0, 5), compaction, ...thread.slice(5)];
    const covered = foldCovered(compacted);
    expect(thinks(dropStaleReasoning(compacted, covered, { tokenCounter: estimateTokens }).messages)).toEqual(
      ["n", "a3"],
    );
    const edited = compacted.with(6, new HumanMessage({ id: "h2", content: "Stop" }));
    expect(
      thinks(dropStaleReasoning(compacted, unchanged(edited), { tokenCounter: estimateTokens }).messages),
    ).toEqual(["a1", "a2", "n"]);
  });

  it.each([
    ["no reasoning of kept turns after a new block at a threshold", {}, []],
    ["all reasoning of kept turns after a new signed block", { signature: "s" }, ["a2", "a3"]],
  ])("dropStaleReasoning leaves %s", (_, fields, kept) => {
    const block = { type: "compaction", content: "They went.", ...fields };
    const compacted = [new AIMessage({ id: "n", content: [block] }), ...thread.slice(3)];
    expect(
      thinks(dropStaleReasoning(thread, unchanged(compacted), { tokenCounter: estimateTokens }).messages),
    ).toEqual(kept);
  });

  it("stale reasoning is archived in one file, and unfold restores it byte for byte", async () => {
    const masked = maskToolResults(thread, { keepSteps: 1 });
    const { messages, writes, folds } = dropStaleReasoning(thread, masked, { tokenCounter: estimateTokens });
    expect(writes.length - masked.writes.length).toBe(1);
    expect(folds.slice(masked.folds.length).map(({ kind, covers }) => [kind, ...covers])).toEqual([
      ["reasoning", "a3"],
    ]);
    expect(await unfold(messages, readerOf(writes))).toEqual(thread);
  });

  it("inputs can be truncated after their reasoning was dropped, and unfold undoes both", async () => {
    const dropped = dropStaleReasoning(
      thread,
      unchanged(thread.with(0, new HumanMessage({ id: "h", content: "Went" }))),
      { tokenCounter: estimateTokens },
    );
    const shorter = truncateToolInputs(dropped.messages);
    expect(shorter.folds.map(({ covers }) => covers)).toEqual([["a1"]]);
    const read = readerOf([...dropped.writes, ...shorter.writes]);
    expect((await unfold(shorter.messages, read)).slice(1)).toEqual(thread.slice(1));
  });

  it("unfold restores reasoning in additional_kwargs when only the content of its message was archived", async () => {
    const output = [{ type: "reasoning", id: "rs" }];
    const reply = new AIMessage({ id: "a", content: "x".repeat(900), response_metadata: { output } });
    const folded = foldContent(reply, { kind: "offload", tokenCounter: estimateTokens, describe: pathOnly });
    const sent = [new HumanMessage({ id: "h", content: "Go" }), folded!.message];
    const changed = sent.with(0, new HumanMessage({ id: "h", content: "Went" }));
    const { messages, writes } = dropStaleReasoning(sent, unchanged(changed), {
      tokenCounter: estimateTokens,
    });
    expect(thinks(messages)).toEqual([]);
    const opened = await unfold(messages, readerOf([...folded!.writes, ...writes]));
    expect(toStoredMessage(opened[1]!)).toEqual(toStoredMessage(reply));
  });

  it("unbound reasoning is stale only in a tool loop that lost the reasoning of an earlier reply", () => {
    const old = new AIMessage({
      id: "old",
      content: [thinking("Thought")],
      response_metadata: { model: "claude-sonnet-4-5" },
    });
    const lost = drop(unchanged(thread)).messages;
    expect(staleStart([...lost, old], 2)).toBe(7);
    expect(staleStart([...lost, old], 8)).toBe(-1);
    expect(staleStart([...lost, new HumanMessage("Next"), old], 2)).toBe(-1);
    expect(staleStart([thread[0]!, old], 0)).toBe(-1);
    expect(staleStart([...thread, old], 2)).toBe(2);
    const long = new AIMessage({
      id: "call",
      content: "",
      tool_calls: [{ id: "c", name: "write", args: { text: "x".repeat(3_000) } }],
    });
    const answered = new ToolMessage({ id: "r", tool_call_id: "c", content: "done" });
    const loop = [new HumanMessage({ id: "h", content: "Go" }), long, answered, old];
    const shortened = truncateToolInputs(loop, { inputCharacters: 100 });
    expect(shortened.folds).toHaveLength(1);
    expect(staleStart(shortened.messages, 1)).toBe(-1);
  });

  it.each([
    ["shortened first", (messages: readonly BaseMessage[]) => drop(truncateToolInputs(messages, { end: 3 }))],
    [
      "shortened afterwards",
      (messages: readonly BaseMessage[]) =>
        truncateToolInputs(drop(unchanged(messages)).messages, { end: 3 }),
    ],
  ])("a reply whose inputs were %s counts as one that lost its reasoning", (_, fold) => {
    const loop = [...thread.slice(0, 3), ...step(4).map(unbound)];
    const { messages, folds } = fold(loop.slice(0, 3));
    expect(foldOf(messages[1]!)?.kind).toBe("input");
    expect(folds.every((one) => messages.some((message) => foldOf(message) === one))).toBe(true);
    expect(staleStart([...messages, ...loop.slice(3)], 1)).toBe(3);
  });

  it("dropStaleReasoning removes all bound reasoning after a change and none before it, in any history", () => {
    return fc.assert(
      fc.asyncProperty(historyArbitrary(), fc.nat(), async (generated, seed) => {
        const history = withIds(generated);
        const index = history.length === 0 ? 0 : seed % history.length;
        const changed = history.map((message, at) =>
          at === index ? new HumanMessage({ id: "new", content: "!" }) : message,
        );
        const { messages, writes } = dropStaleReasoning(history, unchanged(changed), {
          tokenCounter: estimateTokens,
        });
        expect(messages.slice(index).filter(hasBoundReasoning)).toEqual([]);
        expect(messages.slice(0, index)).toEqual(history.slice(0, index));
        const opened = await unfold(messages, readerOf(writes));
        expect(opened.map(toStoredMessage)).toEqual(changed.map(toStoredMessage));
      }),
    );
  });
});
