import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import type { ContextEvent } from "../../context-event.js";
import { filler, history, messagesAfter } from "../../testing/history.js";
import { FailingDriver } from "../../testing/storage.js";
import { predictiveContextNode } from "../predictive-context-node.js";

const config = { configurable: { thread_id: "t" } };
const budget = 3_000;
/** Characters that the model writes of a step of 800. */
const form = "The step read one page, and found nothing that matters later.";

interface Counted {
  readonly texts: string[];
  summaries: number;
}

/** Returns an encoder and a summary model that count what they are asked for. */
function services() {
  const counted: Counted = { texts: [], summaries: 0 };
  const embedDocuments = async (texts: string[]) => {
    counted.texts.push(...texts);
    return texts.map((text) => [text.length % 7, text.length % 11, 1]);
  };
  const embeddings = { embedDocuments, embedQuery: async (text: string) => [text.length, 1, 1] };
  const model = {
    async invoke() {
      counted.summaries++;
      return new AIMessage(form);
    },
  };
  return { counted, embeddings, model };
}

/** Plays steps of 200 tokens until a selection is made; returns the steps before it, what was counted then, and the context. */
async function untilSelected(node: ReturnType<typeof predictiveContextNode>, counted: Counted) {
  const all = history({ steps: 40, result: (step) => filler(200, step) });
  let messages: readonly BaseMessage[] = all.slice(0, 1);
  for (let step = 0; step < 40; step++) {
    const before = { texts: counted.texts.length, summaries: counted.summaries };
    const next = [...messages, ...all.slice(1 + 2 * step, 3 + 2 * step)];
    messages = messagesAfter(await node({ messages: next }, config), next);
    if (messages.some((message) => foldOf(message)?.kind === "chunk")) return { step, before, messages };
    // An agent calls its model here, and a tool.
    await setTimeout(20);
  }
  throw new Error("Nothing was selected in 40 steps");
}

it("from half the budget on, steps get vectors and shorter forms in the background, so that the first selection has both", async () => {
  const { counted, embeddings, model } = services();
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const options = {
    files: VirtualFilesystem.inMemory(),
    budget,
    policy: "pace",
    embeddings,
    model,
    onEvent,
  } as const;
  const { step, before, messages } = await untilSelected(predictiveContextNode(options), counted);
  expect(step).toBeGreaterThan(10);
  // The question and the steps but for the new one; of the steps but for the newest two, two forms each.
  expect(before.texts).toBe(step + 1);
  expect(before.summaries).toBeGreaterThanOrEqual(2 * (step - 4));
  expect(counted.texts.length - before.texts).toBeLessThanOrEqual(2);
  expect(messages.map(({ text }) => text).join("\n")).toContain(form);
  expect(events.filter(({ type }) => type === "context.fail")).toEqual([]);
});

it("below half the budget, nothing is encoded and no summary is asked for", async () => {
  const { counted, embeddings, model } = services();
  const node = predictiveContextNode({
    files: VirtualFilesystem.inMemory(),
    budget: 20_000,
    policy: "pace",
    embeddings,
    model,
  });
  for (let steps = 1; steps <= 20; steps++)
    await node({ messages: history({ steps, result: (step) => filler(200, step) }) }, config);
  await setTimeout(20);
  expect(counted).toEqual({ texts: [], summaries: 0 });
});

it("an encoder that answers after an outage of the archive leaves the thread its key", async () => {
  const driver = new FailingDriver();
  const { counted, embeddings } = services();
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const node = predictiveContextNode({
    files: new VirtualFilesystem({ driver }),
    budget,
    policy: "pace",
    embeddings: {
      ...embeddings,
      async embedDocuments(texts) {
        await setTimeout(30);
        return embeddings.embedDocuments(texts);
      },
    },
    encoderTimeoutMs: 50,
    onEvent,
  });
  const all = history({ steps: 31, result: (step) => filler(200, step) });
  driver.full = true;
  const before = messagesAfter(await node({ messages: all.slice(0, 61) }, config), all.slice(0, 61));
  driver.full = false;
  await setTimeout(500);
  expect(counted.texts.length).toBeGreaterThan(8);
  events.length = 0;
  await node({ messages: [...before, ...all.slice(61)] }, config);
  expect(events.filter(({ type }) => type === "context.fail")).toEqual([]);
  expect(events.map(({ type }) => type)).toContain("context.fold");
});
