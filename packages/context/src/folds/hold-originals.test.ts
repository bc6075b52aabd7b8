import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { dropReasoning } from "../passes/drop-stale-reasoning.js";
import { offloadLargeToolResults } from "../passes/offload-large-tool-results.js";
import { applySummary } from "../summary/apply-summary.js";
import { planSummary } from "../summary/plan-summary.js";
import { talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { holdOriginals, openHeld } from "./hold-originals.js";
import { joinRewrites, unchanged } from "./rewrite.js";

const tokenCounter = estimateTokens;
const ids = (messages: readonly BaseMessage[]) => messages.map(({ id }) => id);
const without = (gone: readonly string[], list: readonly BaseMessage[]) =>
  list.filter(({ id = "" }) => !gone.includes(id));
const thinking = (id: string) =>
  new AIMessage({
    id,
    content: [
      { type: "thinking", thinking: id, signature: "s" },
      { type: "text", text: id },
    ],
  });

describe("originals that are held in state", () => {
  it("come back where the host has edited another stand-in of the same record", async () => {
    const thread = [
      talk.human("h1", "x"),
      thinking("a1"),
      talk.human("h2", "y"),
      thinking("a2"),
      talk.human("h3", "z"),
    ];
    const held = holdOriginals(
      dropReasoning(unchanged(thread), { isStale: () => true, newest: "h3", tokenCounter }),
    );
    for (const edited of ["a1", "a2"]) {
      const other = talk.ai(edited, "other words");
      const change = (list: readonly BaseMessage[]) => list.map((one) => (one.id === edited ? other : one));
      expect(await openHeld(change(held))).toEqual(change(thread));
    }
  });

  it("come back where the host has removed the newest stand-in or a message beside a summary", async () => {
    const long = "a line of what the tool returned\n".repeat(100);
    const thread = [
      talk.human("h1", "the goal"),
      talk.calls("c", { a: ["ls"] }),
      talk.result("r", "a", long),
      talk.human("h2", "a detail"),
      talk.ai("e2", "noted"),
      talk.calls("c2", { b: ["ls"] }),
      talk.result("r2", "b", `${long}two`),
    ];
    const offloaded = offloadLargeToolResults(thread, { offloadTokens: 100 });
    const plan = planSummary(offloaded.messages, { cut: 5 });
    if (plan === undefined) throw new Error("nothing to fold");
    const held = holdOriginals(
      joinRewrites(offloaded, applySummary(plan, { text: "summary", tokenCounter })),
    );
    expect(ids(held)).not.toContain("r");
    for (const gone of [["c2", "r2"], ["h2"]])
      expect(await openHeld(without(gone, held))).toEqual(without(gone, thread));
  });
});
