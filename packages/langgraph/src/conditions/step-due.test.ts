import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { withIds } from "@palimpsest/context";
import { historyArbitrary, messageImage, heldOriginals } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { compactionNode } from "../nodes/compaction-node.js";
import type { ContextOptions } from "../options/context-options.js";
import { resolveOptions } from "../options/resolve-options.js";
import type { CompactionState } from "../run/context-state.js";
import { measureOf } from "../run/measure.js";
import { messagesAfter } from "../testing/history.js";
import { FailingDriver } from "../testing/storage.js";
import { compactionCondition } from "./compaction-condition.js";

const config = { configurable: { thread_id: "t" } };

interface State {
  readonly messages: readonly BaseMessage[];
  readonly compaction?: CompactionState;
}

/**
 * Texts of what a node works on: the context, and what it remembers but for the time of a call, and for what was sent where the model
 * has answered and does not reason.
 */
function changing({ messages, compaction }: State): string {
  const { lastCall: _, prefix, ...rest } = compaction ?? {};
  const isNeeded = prefix?.reasons === true || !messages.some((message) => AIMessage.isInstance(message));
  const remembered = isNeeded && prefix !== undefined ? { ...rest, prefix } : rest;
  return JSON.stringify([
    messages.map(messageImage),
    Object.entries(remembered).toSorted(([one], [other]) => one.localeCompare(other)),
  ]);
}

const optionsArbitrary: fc.Arbitrary<Partial<ContextOptions>> = fc.record(
  {
    contextWindow: fc.constantFrom(300, 1_000, 5_000, 100_000),
    limits: fc.record({ offload: fc.constantFrom(30, 20_000), userMessages: fc.constantFrom(20, 20_000) }),
    trigger: fc.constantFrom({ fraction: 0.4 }, { messages: 6 }, [{ tokens: 600 }, { messages: 3 }]),
    keep: fc.constantFrom({ tokens: 30 }, { messages: 2 }),
    agentControlled: fc.boolean(),
    prepareAt: fc.constant(0.005),
    summaryModel: fc.constant({ invoke: async () => new AIMessage("## Findings\n- one") }),
  },
  { requiredKeys: ["contextWindow", "limits", "keep", "trigger"] },
);

const caseArbitrary = fc.record({
  history: historyArbitrary({ maxTurns: 3 }).map((messages) => withIds(messages)),
  options: optionsArbitrary,
  channel: fc.boolean(),
  steps: fc.array(fc.record({ more: fc.integer({ min: 0, max: 9 }), outage: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
  }),
});

it("the condition routes to the node if and only if the node changes something, the prompt is over the window or originals are held", async () => {
  const seen = { routed: 0, passed: 0 };
  await fc.assert(
    fc.asyncProperty(caseArbitrary, async ({ history, options, channel, steps }) => {
      const driver = new FailingDriver();
      const given = { files: new VirtualFilesystem({ driver }), ...options };
      const [node, condition, resolved] = [
        compactionNode(given),
        compactionCondition(given),
        resolveOptions(given),
      ];
      let state: State = { messages: [], ...(channel ? { compaction: {} } : {}) };
      let at = 0;
      for (const { more, outage } of steps) {
        driver.full = outage;
        state = { ...state, messages: [...state.messages, ...history.slice(at, at + more)] };
        at += more;
        const isRouted = condition(state, config) === "compact";
        const update = await node(state, config);
        const compaction = { ...state.compaction, ...(update["compaction"] as CompactionState | undefined) };
        const next = { messages: messagesAfter(update, state.messages), ...(channel ? { compaction } : {}) };
        const isChanged = changing({ ...next, compaction }) !== changing(state);
        const isOver =
          measureOf(state.messages, resolved, state.compaction).tokens > resolved.maxPromptTokens;
        const isHeld = heldOriginals(state.messages).size > 0;
        expect(isRouted ? isChanged || isOver || isHeld : !isChanged).toBe(true);
        seen[isRouted ? "routed" : "passed"]++;
        state = next;
      }
    }),
    { numRuns: 150 },
  );
  expect(Math.min(seen.routed, seen.passed)).toBeGreaterThan(50);
});
