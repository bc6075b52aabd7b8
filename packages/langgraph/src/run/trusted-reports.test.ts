import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import { foldMiddleware } from "../folding/fold-middleware.js";
import { foldNode } from "../folding/fold-node.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { predictiveContextMiddleware } from "../predictive/predictive-context-middleware.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import { agentSession, nodeSession, type HostSession } from "../testing/host-session.js";
import { mergeCompaction, type CompactionState } from "./context-state.js";
import { runStep } from "./run-step.js";
import { resolveOptions } from "../options/resolve-options.js";

const contextWindow = 3_000;

type OnEvent = (event: ContextEvent) => void;

/** Hosts whose model never reasons. */
const hosts: Readonly<Record<string, (files: VirtualFilesystem, onEvent: OnEvent) => HostSession>> = {
  compactionNode: (files, onEvent) =>
    withReplies(nodeSession(compactionNode({ files, contextWindow, onEvent }), files)),
  foldNode: (files, onEvent) => withReplies(nodeSession(foldNode({ files, contextWindow, onEvent }), files)),
  predictiveContextNode: (files, onEvent) =>
    withReplies(nodeSession(predictiveContextNode({ files, budget: contextWindow, onEvent }), files)),
  contextMiddleware: (files, onEvent) => {
    const options = { files, contextWindow, summaryModel: "none", fileTools: [], onEvent } as const;
    return agentSession([contextMiddleware(options)], files, contextWindow);
  },
  "foldMiddleware and contextMiddleware": (files, onEvent) => {
    const options = { files, contextWindow, summaryModel: "none", onEvent } as const;
    const both = [foldMiddleware(options), contextMiddleware({ ...options, fileTools: [] })];
    return agentSession(both, files, contextWindow);
  },
  predictiveContextMiddleware: (files, onEvent) => {
    const options = { files, budget: contextWindow, tools: [], onEvent };
    return agentSession([predictiveContextMiddleware(options)], files, contextWindow);
  },
};

/** Adds a reply to each prompt, which reports its size as a provider does. */
function withReplies(session: HostSession): HostSession {
  let replies = 0;
  return {
    ...session,
    async send(added) {
      const prompt = await session.send(added);
      const input = estimateTokens(prompt);
      await session.change([...(await session.messages()), reported(`reply-${replies++}`, input)]);
      return prompt;
    },
  };
}

/** A reply that reports the tokens of its prompt. */
function reported(id: string, input: number): BaseMessage {
  const usage = { input_tokens: input, output_tokens: 10, total_tokens: input + 10 };
  return new AIMessage({ id, content: "Yes.", usage_metadata: usage } as ConstructorParameters<
    typeof AIMessage
  >[0]);
}

const words = (count: number, of: string) => `${of} `.repeat(count).trim();
const said = (id: string, text: string) => new HumanMessage({ id, content: text });

/** Plays a thread of about 1,300 tokens; the host then makes its third question much longer, in one of two ways. */
async function play(name: string, change: (session: HostSession, edited: BaseMessage) => Promise<unknown>) {
  const events: ContextEvent[] = [];
  const files = VirtualFilesystem.inMemory();
  const session = hosts[name]!(files, (event) => events.push(event));
  for (let turn = 0; turn < 10; turn++) await session.send([said(`h${turn}`, words(110, "stone"))]);
  const before = estimateTokens(await session.messages());
  expect([before > 1_000, before < 1_600]).toEqual([true, true]);
  events.length = 0;
  const edited = said("h2", words(1_450, "river"));
  await change(session, edited);
  const old = estimateTokens([said("h2", words(110, "stone"))]);
  return { session, events, grown: before - old + estimateTokens([edited]) };
}

const ways = {
  "an edit": async (session: HostSession, edited: BaseMessage) =>
    session.change((await session.messages()).map((message) => (message.id === "h2" ? edited : message))),
  "a resent history": async (session: HostSession, edited: BaseMessage) => {
    const list = (await session.messages()).map((message) => (message.id === "h2" ? edited : message));
    return { resend: list };
  },
} as const;

describe.each(Object.keys(hosts))("a report of usage that a host has made too small, in %s", (name) => {
  it.each(Object.keys(ways) as (keyof typeof ways)[])("hides no prompt over the window: %s", async (way) => {
    let resent: readonly BaseMessage[] = [];
    const { session, events, grown } = await play(name, async (own, edited) => {
      const done = await ways[way](own, edited);
      resent = (done as { readonly resend?: readonly BaseMessage[] } | undefined)?.resend ?? [];
    });
    const next = said("next", words(520, "cloud"));
    expect(grown + estimateTokens([next])).toBeGreaterThan(contextWindow);
    const prompt = await session.send([...resent, next]);
    const isTold = events.some(({ type }) => type === "context.overflow");
    expect([estimateTokens(prompt) <= contextWindow || isTold, isTold]).toEqual([true, isTold]);
    expect((await session.thread()).map(({ id }) => id)).toEqual(
      expect.arrayContaining(["h0", "h2", "h9", "next"]),
    );
  });
});

it("a thread whose model does not reason keeps one mark, however long it is", async () => {
  const options = resolveOptions({ files: VirtualFilesystem.inMemory(), contextWindow: 1_000_000 });
  const messages: BaseMessage[] = [];
  const sizes: number[] = [];
  let state: CompactionState = {};
  for (let turn = 0; turn < 200; turn++) {
    messages.push(said(`h${turn}`, "Go on."), reported(`a${turn}`, 10 * turn));
    const input = { messages: [...messages], state, config: { configurable: { thread_id: "t" } } };
    const outcome = await runStep(input, options, async () => Promise.resolve(undefined));
    state = mergeCompaction(state, outcome.state);
    sizes.push(JSON.stringify(state).length);
  }
  expect(state.prefix?.marks).toHaveLength(1);
  expect(state.prefix?.marks[0]?.messages).toBe(400);
  expect(Math.max(...sizes)).toBeLessThan(160);
});
