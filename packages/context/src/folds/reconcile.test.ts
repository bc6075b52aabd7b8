import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCutoff } from "../cuts/find-cutoff.js";
import { withIds } from "../messages/message-id.js";
import { applySummary } from "../summary/apply-summary.js";
import { planSummary } from "../summary/plan-summary.js";
import { historyArbitrary, messageImage, readerOf, recordWrites } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { foldOf } from "./fold.js";
import { reconcile } from "./reconcile.js";
import { unfold, type ReadArchive } from "./unfold.js";

const tokenCounter = estimateTokens;
const ids = (messages: readonly BaseMessage[]) => messages.map(({ id }) => id);

/** Merges like a graph that runs an agent as a node: replaces known ids in place, appends new ones. */
function merged(list: readonly BaseMessage[], returned: readonly BaseMessage[]): readonly BaseMessage[] {
  const byId = new Map(returned.map((message) => [message.id, message]));
  const known = new Set(ids(list));
  return [
    ...list.map((message) => byId.get(message.id) ?? message),
    ...returned.filter(({ id }) => !known.has(id)),
  ];
}

/** Folds the seen messages several times while a thread grows. */
function folded(thread: readonly BaseMessage[], steps: readonly number[], archive: Map<string, string>) {
  let context: readonly BaseMessage[] = [];
  let at = 0;
  let summaries = 0;
  for (const more of steps) {
    context = [...context, ...thread.slice(at, at + more)];
    at = Math.min(thread.length, at + more);
    const cut = findCutoff(context, { keep: { messages: 1 }, tokenCounter });
    const plan = planSummary(context, { cut, userTokens: 20 });
    if (plan === undefined) continue;
    const rewrite = applySummary(plan, { text: "summary", tokenCounter });
    recordWrites(archive, rewrite.writes);
    context = rewrite.messages;
    summaries++;
  }
  return { context, history: thread.slice(0, at), summaries };
}

const nothing = () => Promise.reject(new Error("nothing to read"));

function isEnd(message: BaseMessage | undefined): boolean {
  return message !== undefined && AIMessage.isInstance(message) && (message.tool_calls ?? []).length === 0;
}

/** Returns a reader that fails, unless a reply follows another: such a one may be a copy from inside a fold. */
function unread(messages: readonly BaseMessage[], archive: ReadonlyMap<string, string>): ReadArchive {
  const follows = messages.some((message, at) => message.getType() === "ai" && isEnd(messages[at - 1]));
  return follows ? readerOf(archive) : nothing;
}

describe("reconcile", () => {
  const steps = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 5 });
  const history = historyArbitrary({ maxTurns: 3 }).map((messages) => withIds(messages));

  it("restores the context, and so the thread, from a list that also holds its originals", async () => {
    let nested = 0;
    await fc.assert(
      fc.asyncProperty(history, steps, async (thread, sizes) => {
        const archive = new Map<string, string>();
        const read = readerOf(archive);
        const { context, history: original, summaries } = folded(thread, sizes, archive);
        nested += summaries > 1 ? 1 : 0;
        const back = await reconcile(merged(original, context), read);
        expect(ids(back)).toEqual(ids(context));
        expect((await unfold(back, read)).map(messageImage)).toEqual(original.map(messageImage));
      }),
      { numRuns: 200 },
    );
    expect(nested).toBeGreaterThan(20);
  });

  it("restores the context from a list to which a client has sent the whole history again, with a question", async () => {
    let sent = 0;
    await fc.assert(
      fc.asyncProperty(history, steps, async (thread, sizes) => {
        const archive = new Map<string, string>();
        const { context, history: original } = folded(thread, sizes, archive);
        const question = new HumanMessage({ id: "question", content: "And now?" });
        const list = merged(context, [...original, question]);
        sent += list.length > context.length + 1 ? 1 : 0;
        const back = await reconcile(list, readerOf(archive));
        expect(ids(back)).toEqual([...ids(context), "question"]);
        expect(back.filter((message) => !list.includes(message))).toEqual([]);
      }),
      { numRuns: 200 },
    );
    expect(sent).toBeGreaterThan(50);
  });

  it("returns a consistent list unchanged without reading the archive", async () => {
    await fc.assert(
      fc.asyncProperty(history, steps, async (thread, sizes) => {
        const archive = new Map<string, string>();
        const { context } = folded(thread, sizes, archive);
        expect(await reconcile(context, unread(context, archive))).toBe(context);
        expect(await reconcile(thread, nothing)).toBe(thread);
      }),
      { numRuns: 100 },
    );
  });

  it("leaves out what the host removes of the messages beside a summary, also below later summaries", async () => {
    let removed = 0;
    await fc.assert(
      fc.asyncProperty(history, fc.tuple(steps, steps), fc.nat(), async (thread, [sizes, later], at) => {
        const archive = new Map<string, string>();
        const read = readerOf(archive);
        const { context, history: original } = folded(thread, sizes, archive);
        const end = context.findIndex((message) => foldOf(message) !== undefined);
        const beside = context.slice(0, Math.max(0, end)).filter((message) => message.getType() === "human");
        const gone = beside[at % Math.max(1, beside.length)];
        const without = (list: readonly BaseMessage[]) => list.filter(({ id }) => id !== gone?.id);
        removed += gone === undefined ? 0 : 1;
        const rest = await reconcile(without(context), read);
        expect((await unfold(rest, read)).map(messageImage)).toEqual(without(original).map(messageImage));
        expect(await reconcile(rest, unread(rest, archive))).toBe(rest);
        const next = withIds(thread.slice(original.length));
        const again = folded([...rest, ...next], [rest.length, ...later], archive);
        expect((await unfold(again.context, read)).map(messageImage)).toEqual(
          without([...original, ...next.slice(0, again.history.length - rest.length)]).map(messageImage),
        );
      }),
      { numRuns: 100 },
    );
    expect(removed).toBeGreaterThan(20);
  });

  it("keeps a message that was removed from beside a summary and is sent again", async () => {
    const archive = new Map<string, string>();
    const asked = Array.from(
      { length: 6 },
      (_, at) => new HumanMessage({ id: `u${at}`, content: `Word ${at}` }),
    );
    const said = asked.flatMap((message, at) => [
      message,
      new AIMessage({ id: `a${at}`, content: `Yes ${at}` }),
    ]);
    const { context } = folded(said, [said.length], archive);
    const again = new HumanMessage({ id: "u3", content: "Word 3" });
    const list = [...context.filter(({ id }) => id !== "u3"), again];
    const read = readerOf(archive);
    const back = await reconcile(list, read);
    expect(ids(back)).toEqual(ids(list));
    const whole = [...said.filter(({ id }) => id !== "u3"), again];
    expect(ids(await unfold(back, read))).toEqual(ids(whole));
  });
});
