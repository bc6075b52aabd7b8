import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withIds } from "../messages/message-id.js";
import { saidBy } from "../messages/said-by.js";
import { fromStoredMessage, toStoredMessage } from "../messages/stored-message.js";
import { maskToolResults } from "../passes/mask-tool-results.js";
import { offloadLargeUserMessages } from "../passes/offload-large-user-messages.js";
import { applySummary } from "../summary/apply-summary.js";
import { planSummary } from "../summary/plan-summary.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { foldOf } from "./fold.js";
import type { Rewrite } from "./rewrite.js";
import { unfold } from "./unfold.js";
import { continueView, markView } from "./view.js";

/** A thread of turns: a question, a call with its result, and an answer. Every message has a word of its own. */
function turns(from: number, to: number): BaseMessage[] {
  return Array.from({ length: to - from }, (_, nth) => nth + from).flatMap((turn) => [
    new HumanMessage({
      id: `u${turn}`,
      content: `Question word-u${turn}; ${"and so on ".repeat(turn % 3 === 0 ? 40 : 1)}`,
    }),
    new AIMessage({
      id: `c${turn}`,
      content: "",
      tool_calls: [{ id: `call${turn}`, name: "look", args: {} }],
    }),
    new ToolMessage({
      id: `r${turn}`,
      tool_call_id: `call${turn}`,
      name: "look",
      content: `Result word-r${turn}; ${"x".repeat(90)}`,
    }),
    new AIMessage({ id: `a${turn}`, content: `Answer word-a${turn};` }),
  ]);
}

/** Folds a context in one of four ways. */
function folded(
  messages: readonly BaseMessage[],
  way: number,
  archive: Map<string, string>,
): readonly BaseMessage[] {
  const named = withIds(messages);
  const rewrite = ((): Rewrite | undefined => {
    if (way === 0) return maskToolResults(named, { keepSteps: 1 });
    if (way === 1) return offloadLargeUserMessages(named, { maxTokens: 60 });
    const cut = named.findLastIndex((message) => message.getType() === "human");
    const plan = planSummary(named, { cut, userTokens: way === 2 ? 0 : 60 });
    return plan && applySummary(plan, { text: "# Summary", tokenCounter: estimateTokens });
  })();
  for (const { path, content } of rewrite?.writes ?? []) archive.set(path, content);
  return rewrite?.messages ?? named;
}

/** Returns messages as another process reads them. */
function stored(messages: readonly BaseMessage[]): BaseMessage[] {
  return messages.map((message) => fromStoredMessage(toStoredMessage(message)));
}

interface Change {
  readonly kind: "edit" | "insert" | "remove" | "none";
  readonly at: number;
}

/** Changes a thread as a host does: any message that is no call or result. Returns the words that are gone. */
function changed(thread: readonly BaseMessage[], { kind, at }: Change, nth: number) {
  const places = thread.flatMap((message, place) => (/^[ua]/.test(message.id ?? "") ? [place] : []));
  const place = places[at % places.length] ?? 0;
  const old = thread[place] as BaseMessage;
  const [before, after] = [thread.slice(0, place), thread.slice(place + 1)];
  const gone = [`word-${old.id};`];
  if (kind === "none") return { thread, gone: [] };
  if (kind === "insert")
    return {
      thread: [
        ...before,
        new HumanMessage({ id: `user${nth}`, content: `Inserted word-user${nth};` }),
        old,
        ...after,
      ],
      gone: [],
    };
  if (kind === "remove") return { thread: [...before, ...after], gone };
  const named = { id: old.id as string };
  const edited =
    old.getType() === "human"
      ? new HumanMessage({ ...named, content: `Edited ${nth}` })
      : new AIMessage({ ...named, content: `Edited ${nth}` });
  return { thread: [...before, edited, ...after], gone };
}

const stepArbitrary = fc.record({
  gained: fc.integer({ min: 0, max: 3 }),
  way: fc.integer({ min: 0, max: 4 }),
  isRestarted: fc.boolean(),
  kind: fc.constantFrom("edit", "insert", "remove", "none" as const),
  at: fc.nat(),
});

describe.each([true, false])("a view of a thread whose messages have ids: %s", (hasIds) => {
  const asHeld = (thread: readonly BaseMessage[]) =>
    hasIds ? thread : thread.map((message) => fromStoredMessage(withoutId(message)));

  it("has every change of the host in its place, and no word that the host took back", async () => {
    let opened = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { minLength: 2, maxLength: 8 }), async (steps) => {
        const archive = new Map<string, string>();
        const gone = new Set<string>();
        let thread: readonly BaseMessage[] = turns(0, 4);
        let context: readonly BaseMessage[] = [];
        let turn = 4;
        for (const [nth, { gained, way, isRestarted, ...change }] of steps.entries()) {
          const after = changed(thread, change, nth);
          for (const word of after.gone) gone.add(word);
          thread = [...after.thread, ...turns(turn, turn + gained)];
          turn += gained;
          const held = asHeld(isRestarted ? stored(thread) : thread);
          const continued = continueView(held, isRestarted ? stored(context) : context);
          expect(continueView(held, continued)).toBe(continued);
          context = markView(folded(continued, way, archive), held);
          expect(continueView(held, context)).toBe(context);
          expect(continueView(stored(held), stored(context))).toEqual(stored(context));
          const text = JSON.stringify(context.map(({ content }) => content));
          expect([...gone].filter((word) => text.includes(word))).toEqual([]);
          opened += context.filter((message) => foldOf(message) !== undefined).length;
          const whole = await unfold(context, async (path) => archive.get(path) ?? "");
          expect(whole.map(saidBy)).toEqual(thread.map(saidBy));
        }
      }),
      { numRuns: 40 },
    );
    expect(opened).toBeGreaterThan(200);
  });
});

function withoutId(message: BaseMessage) {
  const { data, ...rest } = toStoredMessage(message);
  const { id: _, ...own } = data;
  return { ...rest, data: own };
}
