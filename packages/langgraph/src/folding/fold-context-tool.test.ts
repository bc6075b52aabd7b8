import { ContextError } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { playFolding } from "../testing/play-folding.js";
import { foldContextTool } from "./fold-context-tool.js";
import { foldNode } from "./fold-node.js";
import type { FoldOptions } from "./fold-options.js";

const options = { files: VirtualFilesystem.inMemory(), contextWindow: 64_000 };

async function answer(
  messages: readonly BaseMessage[],
  args: { summary: string; range?: number[]; ids?: number[]; confidence?: number; fold?: object },
  given: Partial<FoldOptions> = {},
) {
  const call = { id: "fold", name: "fold_context", args };
  const state = { messages: [...messages, new AIMessage({ id: "asks", content: "", tool_calls: [call] })] };
  return (await foldContextTool({ ...options, ...given }).invoke(args, { state } as never)) as string;
}

describe("fold_context", () => {
  it("answers what will be folded", async () => {
    const { messages } = await playFolding({ steps: 6 });
    expect(await answer(messages, { summary: "x", range: [2, 6] })).toBe(
      "Steps 2-6 become one block before your next step.",
    );
    expect(await answer(messages, { summary: "x", ids: [1, 2] })).toBe(
      "Steps 1-2 become one block before your next step.",
    );
    expect(await answer(messages, { summary: "x" })).toBe(
      "Steps 6-6 become one block before your next step.",
    );
  });

  it("answers why steps cannot be folded, and which can", async () => {
    const { messages } = await playFolding({ steps: 6 });
    expect(await answer(messages, { summary: "x", ids: [1, 3] })).toBe(
      "Not folded as you asked: Blocks 1, 3 are not neighbours. The blocks are, in order, {1, 2, 3, 4, 5, 6}. " +
        "The latest interaction is folded on its own.",
    );
    expect(await answer(messages, { summary: "x ".repeat(3_000), range: [1, 6] })).toContain(
      "to be shorter than what it replaces",
    );
    expect(await answer(messages, { summary: "x", ids: [2] })).toContain("That is one block already");
  });

  it("takes the id that the latest interaction is about to get, and no later one", async () => {
    const { messages } = await playFolding({ steps: 6 });
    expect(await answer(messages, { summary: "x", ids: [4, 5, 6] })).toBe(
      "Steps 4-6 become one block before your next step.",
    );
    expect(await answer(messages, { summary: "x", ids: [5, 6, 7] })).toContain("There is no block 7");
  });

  it("condenses no other block than the latest interaction, whatever target a granular condensation names", async () => {
    const { messages } = await playFolding({ steps: 6 });
    const alone = "Steps 6-6 become one block before your next step.";
    expect(await answer(messages, granular({ range: [6, 6] }))).toBe(alone);
    for (const target of [{ ids: [2] }, { range: [2, 6] }])
      expect(await answer(messages, granular(target))).toContain("replaces the latest interaction alone");
  });

  it("waits with a fold that the model is less sure of than minConfidence", async () => {
    const { messages } = await playFolding({ steps: 6 });
    const unsure = { summary: "x", range: [2, 6], confidence: 0.4 };
    const done = "Steps 2-6 become one block before your next step.";
    expect(await answer(messages, unsure)).toBe(done);
    expect(await answer(messages, unsure, { minConfidence: 0.5 })).toContain(
      "The fold waits: its confidence is 0.4, and folds need 0.5.",
    );
    expect(await answer(messages, { ...unsure, confidence: 0.5 }, { minConfidence: 0.5 })).toBe(done);
    expect(await answer(messages, { summary: "x", range: [2, 6] }, { minConfidence: 0.5 })).toBe(done);
    expect(() => foldContextTool({ ...options, minConfidence: 2 })).toThrow("minConfidence is 2");
  });

  it("does not throw at an agent without a state", async () => {
    expect(await foldContextTool(options).invoke({ summary: "x" })).toBe(
      "Noted: it is followed before your next step.",
    );
  });

  it("answers a refusal once: the node does not repeat it", async () => {
    const { messages, events } = await playFolding({
      steps: 5,
      call: (step) => (step === 5 ? { ids: [1, 3], summary: "x" } : undefined),
    });
    expect(messages.some(({ text }) => text.includes("not followed"))).toBe(false);
    expect(events.filter(({ type }) => type === "context.skip")).toHaveLength(1);
  });
});

it.each([
  [{ microTokens: 0 }, "microTokens is 0"],
  [{ blockTokens: Number.NaN }, "blockTokens is NaN"],
  [{ condense: "sometimes" as "every-step" }, 'condense is "sometimes": use "every-step" or "on-directive"'],
])("refuses an option that cannot work when the node is built: %o", (wrong, message) => {
  expect(() => foldNode({ ...options, ...wrong })).toThrow(
    expect.objectContaining({ message: expect.stringContaining(message) as string }) as Error,
  );
  expect(() => foldNode({ ...options, ...wrong })).toThrow(ContextError);
});

function granular(target: object) {
  return { summary: "x", fold: { type: "granular_condensation", target, summary_text: "x" } };
}
