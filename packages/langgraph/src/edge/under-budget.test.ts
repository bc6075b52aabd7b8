import { estimateTokens, foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { compactionCondition } from "../conditions/compaction-condition.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import type { BudgetLevel, ContextOptions } from "./context-options.js";
import { resolveOptions, underBudget } from "./resolve-options.js";

const files = VirtualFilesystem.inMemory();

function under(level: BudgetLevel, options: Partial<ContextOptions> = {}) {
  const resolved = resolveOptions({ files, contextWindow: 10_000, ...options, budget: () => level });
  const { trigger, keep } = underBudget(resolved, undefined);
  return { trigger, keep };
}

describe("a tighter budget", () => {
  it("lowers the trigger by ten points a notch, and keeps a turn less, but one", () => {
    const keep = { turns: 3 };
    expect(under("normal", { keep })).toEqual({ trigger: { fraction: 0.85 }, keep });
    expect(under("fallback", { keep })).toEqual({ trigger: [{ fraction: 0.75 }], keep: { turns: 2 } });
    expect(under("exhausted", { keep: { turns: 2 } })).toEqual({
      trigger: [{ fraction: expect.closeTo(0.65, 9) as number }],
      keep: { turns: 1 },
    });
  });

  it("lowers a trigger in tokens by ten points of the window, and none below half of itself", () => {
    const trigger = [{ tokens: 8_000, messages: 4 }, { tokens: 1_000 }, { messages: 9 }];
    expect(under("fallback", { trigger, keep: { turns: 1 } }).trigger).toEqual([
      { tokens: 7_000, messages: 4 },
      { tokens: 500 },
      { messages: 9 },
    ]);
  });

  it("counts as normal where the callback throws or says what is no level", () => {
    const resolved = resolveOptions({
      files,
      contextWindow: 10_000,
      budget: () => {
        throw new Error("no meter");
      },
    });
    expect(underBudget(resolved, undefined)).toBe(resolved);
    const unknown = { ...resolved, budget: () => "rich" as BudgetLevel };
    expect(underBudget(unknown, undefined)).toBe(unknown);
  });

  it("decides by run: the config of the step says which budget it has", async () => {
    const messages = history({ steps: 20, result: (step) => filler(400, step) });
    const contextWindow = Math.round(estimateTokens(messages) / 0.8);
    const levels: Record<string, BudgetLevel> = { poor: "fallback", rich: "normal" };
    const options: ContextOptions = {
      files,
      contextWindow,
      budget: (config) => levels[String(config?.configurable?.["thread_id"])] ?? "normal",
    };
    const node = compactionNode(options);
    const condition = compactionCondition(options);
    const folded = async (thread: string) =>
      messagesAfter(await node({ messages }, inThread(thread)), messages).some((message) => foldOf(message));
    expect([await folded("poor"), await folded("rich")]).toEqual([true, false]);
    expect(["poor", "rich"].map((thread) => condition({ messages }, inThread(thread)))).toEqual([
      "compact",
      "model",
    ]);
  });
});
