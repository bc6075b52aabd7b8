import { estimateTokens, foldOf, type Keep } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { compactionCondition } from "../conditions/compaction-condition.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import type { BudgetLevel, ContextOptions } from "../options/context-options.js";
import { resolveOptions } from "../options/resolve-options.js";
import { underBudget } from "./run-options.js";

const files = VirtualFilesystem.inMemory();

function under(level: BudgetLevel, options: Partial<ContextOptions> = {}) {
  const resolved = resolveOptions({ files, contextWindow: 10_000, ...options, budgetLevel: () => level });
  const { trigger, keep } = underBudget(resolved, undefined);
  return { trigger, keep };
}

function close(limits: ContextOptions["keep"]): unknown {
  if (Array.isArray(limits)) return limits.map((one: Keep) => close(one));
  const entries = Object.entries(limits ?? {}) as [string, number][];
  return Object.fromEntries(entries.map(([unit, limit]) => [unit, expect.closeTo(limit, 9) as number]));
}

describe("a tighter budget", () => {
  it("lowers the trigger by ten points for each level, and keeps one turn less, but at least one", () => {
    const keep = { turns: 3 };
    expect(under("normal", { keep })).toEqual({ trigger: { fraction: 0.85 }, keep });
    expect(under("fallback", { keep })).toEqual({ trigger: [{ fraction: 0.75 }], keep: { turns: 2 } });
    expect(under("exhausted", { keep: { turns: 2 } })).toEqual({
      trigger: [{ fraction: expect.closeTo(0.65, 9) as number }],
      keep: { turns: 1 },
    });
  });

  it("lowers a trigger in tokens by ten points of the window, but not below half of its value", () => {
    const trigger = [{ tokens: 8_000, messages: 4 }, { tokens: 1_000 }, { messages: 9 }];
    expect(under("fallback", { trigger, keep: { turns: 1 } }).trigger).toEqual([
      { tokens: 7_000, messages: 4 },
      { tokens: 500 },
      { messages: 9 },
    ]);
  });

  it.each<[string, ContextOptions["keep"], readonly ContextOptions["keep"][]]>([
    ["tokens", { tokens: 3_000 }, [{ tokens: 2_000 }, { tokens: 1_000 }]],
    ["a fraction", { fraction: 0.3 }, [{ fraction: 0.2 }, { fraction: 0.1 }]],
    ["messages", { messages: 30 }, [{ messages: 20 }, { messages: 10 }]],
    ["turns", { turns: 3 }, [{ turns: 2 }, { turns: 1 }]],
    ["hardly anything", { messages: 1 }, [{ messages: 1 }, { messages: 1 }]],
    [
      "turns and tokens, of which the larger stays",
      [{ turns: 3 }, { tokens: 3_000 }],
      [
        [{ turns: 2 }, { tokens: 2_000 }],
        [{ turns: 1 }, { tokens: 1_000 }],
      ],
    ],
    ["the default", undefined, [{ fraction: 0.2 / 3 }, { fraction: 0.1 / 3 }]],
  ])("keeps less a notch, whatever keep counts: %s", (_, keep, [fallback, exhausted]) => {
    const kept = (level: BudgetLevel) => under(level, keep && { keep }).keep;
    expect(kept("fallback")).toEqual(close(fallback));
    expect(kept("exhausted")).toEqual(close(exhausted));
  });

  it("never keeps as much as its trigger, however far that is lowered", () => {
    const trigger = { tokens: 1_500 };
    const { keep } = under("fallback", { trigger, keep: { tokens: 1_400 } });
    expect(keep).toEqual({ tokens: 700 });
  });

  it("folds more than a normal one, by the nodes and with the default keep", async () => {
    const messages = history({ steps: 40, result: (step) => filler(200, step) });
    const left = async (level: BudgetLevel) => {
      const options = { files, contextWindow: 6_000, budgetLevel: () => level };
      const after = messagesAfter(await compactionNode(options)({ messages }, inThread("t")), messages);
      return after.filter((message) => foldOf(message) === undefined).length;
    };
    const [normal, fallback] = [await left("normal"), await left("fallback")];
    expect(fallback).toBeLessThan(normal);
  });

  it("counts as normal if the callback throws or returns an unknown level", () => {
    const resolved = resolveOptions({
      files,
      contextWindow: 10_000,
      budgetLevel: () => {
        throw new Error("no meter");
      },
    });
    expect(underBudget(resolved, undefined)).toBe(resolved);
    const unknown = { ...resolved, budgetLevel: () => "rich" as BudgetLevel };
    expect(underBudget(unknown, undefined)).toBe(unknown);
  });

  it("depends on the config of the run", async () => {
    const messages = history({ steps: 20, result: (step) => filler(400, step) });
    const contextWindow = Math.round(estimateTokens(messages) / 0.8);
    const levels: Record<string, BudgetLevel> = { poor: "fallback", rich: "normal" };
    const options: ContextOptions = {
      files,
      contextWindow,
      budgetLevel: (config) => levels[String(config?.configurable?.["thread_id"])] ?? "normal",
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
