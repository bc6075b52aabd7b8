import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { foldOf, pin } from "@palimpsest/context";
import { isOwn } from "@palimpsest/context/internal";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { contextInput } from "../run/context-state.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { playFolding } from "../testing/play-folding.js";
import { readThread } from "../threads/read-thread.js";
import { foldNode } from "./fold-node.js";
import type { FoldOptions } from "./fold-options.js";

/** Returns a chat in which the model answers each question with `answer`, through the fold node. */
function chat(options: Partial<FoldOptions>, answer: (turn: number) => string) {
  const files = VirtualFilesystem.inMemory();
  let turn = 0;
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("fold", foldNode({ files, contextWindow: 8_000, ...options }), { input: contextInput })
    .addNode("model", () => ({ messages: [new AIMessage({ id: `a${turn}`, content: answer(turn++) })] }))
    .addEdge(START, "fold")
    .addEdge("fold", "model")
    .compile({ checkpointer: new MemorySaver() });
  return {
    ask: async (at: number) =>
      graph.invoke(
        { messages: [new HumanMessage({ id: `u${at}`, content: `question ${at}` })] },
        inThread("t"),
      ),
    edit: async (id: string, content: string) =>
      graph.updateState(inThread("t"), { messages: [new HumanMessage({ id, content })] }, "model"),
    context: async () =>
      ((await graph.getState(inThread("t"))).values as typeof MessagesAnnotation.State).messages,
    thread: async () => readThread(graph, inThread("t"), { files }),
  };
}

describe("a message that stays beside a block", () => {
  it.each(["u2", "a4"])("leaves a thread that a summary was made of whole: %s is pinned", async (pinned) => {
    const { ask, context, thread } = chat(
      {
        pin: ({ id }) => id === pinned,
        trigger: { tokens: 1_500 },
        keep: { tokens: 600 },
        condense: "on-directive",
        blockTokens: 3_000,
      },
      (turn) =>
        turn === 13
          ? '<context>{"range":[1],"summary":"all of it"}</context> next'
          : `answer ${turn} ${filler(250, turn)}`,
    );
    for (let turn = 0; turn < 18; turn++) await ask(turn);
    const folds = (await context()).flatMap((message) => foldOf(message) ?? []);
    expect(folds.length).toBeGreaterThan(0);
    const asked = Array.from({ length: 18 }, (_, turn) => [`u${turn}`, `a${turn}`]).flat();
    expect((await thread()).map(({ id }) => id)).toEqual(asked);
    expect((await context()).filter(isOwn).map(({ id }) => id)).toContain(pinned);
  });

  it("keeps an edit of the host when a later block takes it in", async () => {
    const small = { blockTokens: 120, recentBlocks: 1, limits: { userMessages: 40 } };
    const { ask, edit, context, thread } = chat(small, (turn) => `answer ${turn} ${filler(60, turn)}`);
    for (let turn = 0; turn < 6; turn++) await ask(turn);
    const carried = (await context()).filter(({ id }) => /^u\d$/.test(id ?? ""));
    const { id = "" } = carried[1] as BaseMessage;
    await edit(id, "CORRECTED: only the staging server");
    for (let turn = 6; turn < 20; turn++) await ask(turn);
    expect((await context()).some((message) => message.id === id)).toBe(false);
    expect((await thread()).find((message) => message.id === id)?.text).toBe(
      "CORRECTED: only the staging server",
    );
  });
});

const rule = "Always answer in verse.";

/** Plays twenty steps of which the third loads a rule, and returns the context after them. */
async function withRule(options: Partial<FoldOptions>, isMarked = false) {
  const { messages } = await playFolding({
    steps: 20,
    options: { contextWindow: 8_000, recentBlocks: 2, ...options },
    tool: (step) =>
      step === 3
        ? { name: "load_skill", args: { path: "/AGENTS.md" } }
        : { name: "open", args: { page: step } },
    ...(isMarked
      ? { change: (message: BaseMessage) => (message.id === "result-3" ? pin(message) : message) }
      : {}),
    result: (step) => (step === 3 ? `${rule} ${filler(40, 9)}` : filler(150, step)),
  });
  return messages;
}

describe("foldNode keeps an interaction in full", () => {
  it.each<[string, Partial<FoldOptions>]>([
    ["pin of the result", { pin: ({ id }) => id === "result-3" }],
    ["pin of the call", { pin: ({ id }) => id === "ai-3" }],
    ["pinTools", { pinTools: ["load_skill"] }],
    ["pinFiles", { pinFiles: ["/AGENTS.md"] }],
    [
      "importance",
      {
        importance: (span) => span.map(({ id }) => (id === "result-3" ? 1 : 0)),
        limits: { verbatim: 1_000 },
      },
    ],
  ])("with %s", async (_, options) => {
    const messages = await withRule(options);
    expect(messages.find(({ id }) => id === "result-3")?.text).toContain(rule);
    expect(messages.some(({ id }) => id === "ai-3")).toBe(true);
    expect(messages.some(({ id }) => id === "result-4")).toBe(false);
  });

  it("with the mark of pin(message)", async () => {
    const messages = await withRule({}, true);
    expect(messages.find(({ id }) => id === "result-3")?.text).toContain(rule);
  });

  it("with markers, within verbatimTokens", async () => {
    const doubtful =
      "I am not sure, it might be wrong; perhaps I should verify. Actually, wait: I assumed so.";
    const play = async (verbatimTokens: number) =>
      playFolding({
        steps: 12,
        say: (step) => (step === 3 ? doubtful : ""),
        options: { markers: { density: 1 }, limits: { verbatim: verbatimTokens } },
      });
    const kept = ({ messages }: Awaited<ReturnType<typeof play>>) => messages.some(({ id }) => id === "ai-3");
    expect(kept(await play(1_000))).toBe(true);
    expect(kept(await play(0))).toBe(false);
  });

  it("not without a pin, and not when importance promotes more than verbatimTokens", async () => {
    const everything = {
      importance: (span: readonly BaseMessage[]) => span.map(() => 1),
      limits: { verbatim: 500 },
    };
    for (const options of [{}, everything]) {
      const messages = await withRule(options);
      expect(messages.some(({ id }) => id === "result-3")).toBe(false);
    }
  });

  it("a pinned user message stays whole over userTokens", async () => {
    const { messages } = await playFolding({
      steps: 12,
      user: (step) =>
        step === 4 ? `Use the second server. ${filler(50, 3)}` : step === 8 ? "Go on." : undefined,
      options: { limits: { userMessages: 1 }, pin: ({ id }) => id === "user-4" },
    });
    expect(messages.find(({ id }) => id === "user-4")?.text).toContain("Use the second server.");
  });
});
