import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf, toolCalls, toStoredMessage, unfold, withIds } from "@palimpsest/context";
import { addedIllegalities, historyArbitrary, messageImage } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filler, history, messagesAfter } from "../../testing/history.js";
import { predictiveContextNode } from "../predictive-context-node.js";

const config = { configurable: { thread_id: "t" } };

/** Splits the thread at model calls: in each slice every call has its result. */
function slices(messages: readonly BaseMessage[]): readonly (readonly BaseMessage[])[] {
  const all: BaseMessage[][] = [];
  const open = new Set<string>();
  for (const message of messages) {
    const last = all.at(-1);
    if (open.size > 0 && last !== undefined) last.push(message);
    else all.push([message]);
    for (const { id } of toolCalls(message)) if (id !== undefined) open.add(id);
    if (ToolMessage.isInstance(message)) open.delete(message.tool_call_id);
  }
  return all;
}

/** The seal of a fold is left out: every thread has a key of its own. */
function stored(messages: readonly BaseMessage[]): string {
  return JSON.stringify(
    messages.map((one) => toStoredMessage(one)),
    (key, value: unknown) => (key === "seal" ? undefined : value),
  );
}

function images(messages: readonly BaseMessage[]) {
  return messages.map((message) => messageImage(message));
}

/** Returns the messages that both contexts begin with. */
function common(before: readonly BaseMessage[], after: readonly BaseMessage[]): readonly BaseMessage[] {
  const end = before.findIndex((message, at) => {
    const other = after[at];
    return other === undefined || stored([message]) !== stored([other]);
  });
  return end < 0 ? before : before.slice(0, end);
}

/** Returns an agent that reads one module after the other and often returns to the first ones. */
function refactoring(steps: number): readonly BaseMessage[] {
  const thread: BaseMessage[] = [new HumanMessage({ id: "h", content: "Rename every retry option." })];
  for (let step = 0; step < steps; step++) {
    const file = step % 3 === 0 ? step % 9 : step;
    const path = `/src/module_${file}.ts`;
    const lines = Array.from(
      { length: 12 },
      (_, row) => `const retryLimit_${file}_${row} = ${file * 100 + row};`,
    );
    const call = { id: `c${step}`, name: "read_file", args: { path } };
    thread.push(
      new AIMessage({ id: `a${step}`, content: `Now ${path}.`, tool_calls: [call] }),
      new ToolMessage({ id: `r${step}`, tool_call_id: call.id, content: lines.join("\n") }),
    );
  }
  return thread;
}

/** Returns an agent that reads hosts of 500 tokens each, with user messages at some steps. */
function survey(steps: number, spoken: (step: number) => boolean): readonly BaseMessage[] {
  return Array.from({ length: steps }, (_, step) => {
    const call = { id: `c${step}`, name: "read_file", args: { path: `hosts/${step}.md` } };
    const rows = Array.from({ length: 30 }, (_, row) => {
      const port = (step * 7919 + row * 104_729) % 60_000;
      return `host-${step} service ${row} listens on ${port}, build ${row * 31 + step}`;
    });
    const words = new HumanMessage({ id: `u${step}`, content: `Part ${step} is done. Go on.` });
    return [
      ...(step === 0 || spoken(step) ? [words] : []),
      new AIMessage({ id: `a${step}`, content: `Reading host-${step}.`, tool_calls: [call] }),
      new ToolMessage({ id: `r${step}`, tool_call_id: call.id, content: rows.join("\n") }),
    ];
  }).flat();
}

async function contexts(messages: readonly BaseMessage[], options: { budget: number; lasting: boolean }) {
  const files = VirtualFilesystem.inMemory();
  const build = () => predictiveContextNode({ files, budget: options.budget, onError: "throw" });
  let node = build();
  let context: readonly BaseMessage[] = [];
  const all: (readonly BaseMessage[])[] = [];
  const broken: string[] = [];
  let past: readonly BaseMessage[] = [];
  for (const slice of slices(messages)) {
    past = [...past, ...slice];
    if (!options.lasting) node = build();
    const next = [...context, ...slice];
    context = messagesAfter(await node({ messages: next }, config), next);
    all.push(context);
    // A replay continues from the stored selection, so it may need messages that a live run does not.
    if (context !== next) broken.push(...addedIllegalities(past, context));
  }
  const { archive } = files.thread("t");
  return { all, broken, open: () => unfold(context, (path) => archive.readText(path)) };
}

describe("a repeated selection", () => {
  it("keeps stand-ins at the beginning of the context, and shows the lines that they omit after them", async () => {
    const messages = refactoring(120);
    const { all } = await contexts(messages, { budget: 6_000, lasting: true });
    const again = all.slice(1).flatMap((context, at) => {
      const before = all[at] ?? [];
      const same = common(before, context);
      return same.length < before.length ? [same] : [];
    });
    const kept = again.filter((same) => same.some((message) => foldOf(message)?.kind === "chunk"));
    expect(again.length).toBeGreaterThan(5);
    expect(kept.length).toBeGreaterThan(again.length / 2);
    expect(all.every((context) => estimateTokens(context) <= 6_000)).toBe(true);
  });

  it.each([61, 62, 63])(
    "keeps every user message that fits, from step %i on",
    async (from) => {
      // Three messages are close together, later ones far apart, so that the kept beginning may end between them.
      const spoken = (step: number) => step >= from && (step < from + 3 || step % 9 === 4);
      const messages = survey(150, spoken);
      const { all } = await contexts(messages, { budget: 8_000, lasting: true });
      const said = new Set<string>();
      const lost = all.flatMap((context, at) => {
        const heard = slices(messages)[at]?.flatMap(({ id = "" }) => (id.startsWith("u") ? [id] : [])) ?? [];
        for (const id of heard) said.add(id);
        const held = new Set(context.map(({ id }) => id));
        return [...said].filter((id) => !held.has(id)).map((id) => `${id} after ${at}`);
      });
      expect(said.size).toBeGreaterThan(10);
      expect(lost).toEqual([]);
    },
    60_000,
  );

  it("is the same in a new node as in the node that made the context", async () => {
    const messages = history({ steps: 60, result: (step) => filler(200, step) });
    const one = await contexts(messages, { budget: 5_000, lasting: true });
    const other = await contexts(messages, { budget: 5_000, lasting: false });
    expect(other.all.map(stored)).toEqual(one.all.map(stored));
  });

  it("stays legal and unfolds to every byte, over any history and any number of selections", async () => {
    let selections = 0;
    await fc.assert(
      fc.asyncProperty(historyArbitrary(), fc.integer({ min: 600, max: 2_500 }), async (past, budget) => {
        const messages = withIds(past);
        const { all, broken, open } = await contexts(messages, { budget, lasting: true });
        selections += all.filter((context) => context.some((one) => foldOf(one)?.kind === "chunk")).length;
        expect(broken).toEqual([]);
        expect(images(await open())).toEqual(images(messages));
      }),
      { numRuns: 60 },
    );
    expect(selections).toBeGreaterThan(0);
  });
});
