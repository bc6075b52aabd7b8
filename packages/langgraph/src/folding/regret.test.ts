import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { defaults } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import type { CompactionState, Regret } from "../run/context-state.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { readingJob } from "../testing/reading-job.js";
import { unfolded } from "../testing/storage.js";
import { resolveFoldOptions } from "./fold-options.js";
import { foldNode } from "./fold-node.js";
import { regretAfter, relaxed, withFolded } from "./regret.js";

const step = (at: number, name: string, args: Record<string, unknown>): readonly BaseMessage[] => [
  new AIMessage({ id: `a${at}`, content: "", tool_calls: [{ id: `c${at}`, name, args }] }),
  new ToolMessage({ id: `r${at}`, tool_call_id: `c${at}`, name, content: "…" }),
];
const begun: Regret = { upTo: "r0", level: 0, quiet: 0, folded: [] };
const first = step(0, "fetch", { page: 0 });

describe("regret", () => {
  it.each([
    ["unfold", { path: "S1" }, 1],
    ["search_history", { query: "port" }, 1],
    ["read_file", { path: "/context/steps/1.md" }, 1],
    ["grep", { pattern: "port", path: "/context/" }, 1],
    ["fetch", { page: 0 }, 1],
    ["fetch", { page: 1 }, 0],
    ["read_file", { path: "/notes.md" }, 0],
  ])("%s %j after a fold raises it by %i", (name, args, level) => {
    const folded = withFolded(begun, first, []);
    expect(regretAfter([...first, ...step(1, name, args)], folded)).toMatchObject({ level, upTo: "r1" });
  });

  it("begins at nothing, and counts no call twice", () => {
    const asked = [...first, ...step(1, "unfold", { path: "S1" })];
    expect(regretAfter(asked, undefined)).toEqual({ upTo: "r1", level: 0, quiet: 0, folded: [] });
    const once = regretAfter(asked, begun);
    expect([once.level, regretAfter(asked, once).level]).toEqual([1, 1]);
  });

  it("stays within 0 and 8, falls by one in 8 folds without a request, and never keeps more than twice as much", () => {
    const options = resolveFoldOptions({ files: VirtualFilesystem.inMemory(), contextWindow: 20_000 });
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 80 }), (asks) => {
        let known: Regret | undefined;
        let quiet = 0;
        for (const [at, isAsked] of asks.entries()) {
          const before = known?.level ?? 0;
          const args = isAsked ? { path: "/context/x" } : { at };
          const tail = known === undefined ? [] : [new AIMessage({ id: known.upTo, content: "" })];
          known = regretAfter([...tail, ...step(at, "read_file", args)], known);
          quiet = isAsked || at === 0 ? 0 : quiet + 1;
          const isOver = quiet === 8;
          const expected = at === 0 ? 0 : isAsked ? before + 1 : isOver ? before - 1 : before;
          if (isOver) quiet = 0;
          expect(known.level).toBe(Math.min(8, Math.max(0, expected)));
          const { recentBlocks, microTokens, deadEndSteps } = relaxed(options, known);
          for (const [more, own] of [
            [recentBlocks, defaults.recentBlocks],
            [microTokens, defaults.microTokens],
            [deadEndSteps, defaults.deadEndSteps],
          ] as const)
            expect(more >= own && more <= 2 * own).toBe(true);
        }
      }),
    );
  });
});

async function played(regret: boolean) {
  const files = VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => void events.push(event);
  const job = readingJob({ pages: 6 });
  const compact = foldNode({ files, contextWindow: 12_000, regret, onEvent });
  const graph = agentGraph({ model: job.model, tools: job.tools, compact });
  await graph.invoke({ messages: [job.ask("atlas")] }, inThread("t"));
  // The same book again: each call repeats one that was folded.
  await graph.invoke({ messages: [new HumanMessage("Read the atlas again.")] }, inThread("t"));
  const again = [...step(90, "read_page", { book: "atlas", page: 1 })];
  await graph.updateState(inThread("t"), { messages: again }, "tools");
  await graph.invoke({ messages: [new HumanMessage({ id: "go", content: "Go on." })] }, inThread("t"));
  const { values } = await graph.getState(inThread("t"));
  const { messages, compaction } = values as { messages: BaseMessage[]; compaction: CompactionState };
  const whole = await unfolded(messages, files, "t");
  return { compaction, whole, said: events.filter(({ type }) => type === "context.regret") };
}

describe("foldNode with regret", () => {
  it("keeps it in state, tells when it changes, and loses nothing", async () => {
    const { compaction, said, whole } = await played(true);
    expect(compaction.regret?.folded.length).toBeGreaterThan(3);
    expect(compaction.regret?.level).toBeGreaterThan(0);
    expect(said.at(-1)).toMatchObject({ level: compaction.regret?.level });
    expect(whole.map(({ data }) => data.id)).toEqual(expect.arrayContaining(["a90", "r90", "go"]));
  });

  it("is off by default", async () => {
    const { compaction, said } = await played(false);
    expect([compaction.regret, said]).toEqual([undefined, []]);
  });
});
