import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { estimateTokens, foldOf, toStoredMessage, unfold } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../../context-event.js";
import { filler, history, messagesAfter } from "../../testing/history.js";
import { explainContext } from "../explain-context.js";
import { predictiveContextNode } from "../predictive-context-node.js";
import type { PredictiveContextOptions } from "../predictive-options.js";

const config = { configurable: { thread_id: "t" } };
const budget = 8_000;

/** Returns a summary model that answers with what it was shown: steps, or summaries of ranges. */
function scribe(fail = false) {
  const asked: string[] = [];
  const model = {
    async invoke(messages: BaseMessage[]) {
      const text = messages.at(-1)?.text ?? "";
      asked.push(text);
      if (fail) throw new Error("no quota");
      const shown = [...text.matchAll(/^\[steps? (\d+)/gm)].map(([, step]) => step);
      return new AIMessage(`Gist of ${shown.length}\nfrom ${shown[0] ?? ""}.`);
    },
  };
  return { asked, model };
}

const messages = history({ steps: 330, result: (step) => filler(120, step) });
const asking = (nth: number) => new HumanMessage({ id: `more${nth}`, content: "Go on." });

async function selected(options: PredictiveContextOptions, thread: readonly BaseMessage[]) {
  return messagesAfter(await predictiveContextNode(options)({ messages: thread }, config), thread);
}

function textOf(context: readonly BaseMessage[]): string {
  return context.flatMap((one) => (foldOf(one)?.kind === "chunk" ? [one.text] : [])).join("\n");
}

describe("summaries of ranges of old steps", () => {
  it("are written in the background, each from those of its parts, and shown once they exist", async () => {
    const { asked, model } = scribe();
    const options = { files: VirtualFilesystem.inMemory(), budget, model, onError: "throw" } as const;
    const first = await selected(options, messages);
    expect(textOf(first)).not.toContain("summarized");
    // Steps 0 to 255 are 16 pages and one page of pages; steps 256 to 319 are 4 pages.
    await expect.poll(() => asked.length, { timeout: 60_000 }).toBe(16 + 1 + 4);
    expect(asked.filter((text) => text.startsWith("[steps "))).toHaveLength(1);

    const next = [...first, asking(1)];
    const second = await selected(options, next);
    const text = textOf(second);
    expect(text).toMatch(
      /^\[steps 0 to 255, summarized: \/context\/steps\/pages\/0-255-[0-9a-f]{6}\.md\] Gist of 16 from 0\.$/m,
    );
    expect(text).toMatch(/^\[steps 256 to 271, summarized: .*\] Gist of 16 from 256\.$/m);
    expect(text).not.toMatch(/^\[steps 0 to 15, summarized/m);
    expect(estimateTokens(second)).toBeLessThanOrEqual(budget);
    expect(illegalities(second)).toEqual([]);
    expect(asked).toHaveLength(21);

    const { archive } = options.files.thread("t");
    const opened = await unfold(second, (path) => archive.readText(path));
    expect(opened.map((one) => toStoredMessage(one))).toEqual(
      [...messages, asking(1)].map((one) => toStoredMessage(one)),
    );
    const graph = { getState: async () => ({ values: { messages: second } }) };
    const explained = await explainContext(graph, config, options);
    const inSummary = explained.filter(({ level }) => level === "summary");
    expect(inSummary.length).toBeGreaterThan(100);
    expect(inSummary[0]?.reason).toBe("It is in the summary of steps 0 to 255.");
  });

  it("leave the range unchanged when the model fails, and an event reports it", async () => {
    const { model } = scribe(true);
    const events: ContextEvent[] = [];
    const onEvent = (event: ContextEvent) => events.push(event);
    const options = {
      files: VirtualFilesystem.inMemory(),
      budget,
      model,
      onEvent,
      onError: "throw",
    } as const;
    const first = await selected(options, messages);
    const failed = () => events.filter(({ type }) => type === "context.fail");
    await expect.poll(failed, { timeout: 60_000 }).toEqual([expect.objectContaining({ rung: "summary" })]);
    const second = await selected(options, [...first, asking(1)]);
    expect(textOf(second)).not.toContain("summarized");
    expect(estimateTokens(second)).toBeLessThanOrEqual(budget);
  });

  it("take at most a few calls in 60 selections while the model fails, and one event reports it", async () => {
    const { asked, model } = scribe(true);
    const events: ContextEvent[] = [];
    const onEvent = (event: ContextEvent) => events.push(event);
    const node = predictiveContextNode({ files: VirtualFilesystem.inMemory(), budget, model, onEvent });
    let context: readonly BaseMessage[] = messages;
    for (let nth = 0; nth < 60; nth++) {
      const next = [...context, asking(nth)];
      context = messagesAfter(await node({ messages: next }, config), next);
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
    }
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.length).toBeLessThanOrEqual(8);
    expect(events.filter(({ type }) => type === "context.fail")).toHaveLength(1);
  });

  it("stop when the run is aborted", async () => {
    const controller = new AbortController();
    let calls = 0;
    const model = {
      async invoke(): Promise<BaseMessage> {
        calls++;
        controller.abort();
        throw new Error("aborted");
      },
    };
    const node = predictiveContextNode({ files: VirtualFilesystem.inMemory(), budget, model });
    await node({ messages }, { ...config, signal: controller.signal });
    await expect.poll(() => calls).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(calls).toBe(1);
  });
});

it("stand-ins and whole steps together cover every step exactly once, after any number of selections", async () => {
  const node = predictiveContextNode({
    files: VirtualFilesystem.inMemory(),
    budget: 4_000,
    onError: "throw",
  });
  const thread = history({ steps: 400, result: (step) => filler(100, step) });
  let context: readonly BaseMessage[] = [];
  let selections = 0;
  for (const message of thread) {
    const next = [...context, message];
    context = message.getType() === "ai" ? next : messagesAfter(await node({ messages: next }, config), next);
    const runs = context.flatMap(({ text }) =>
      [...text.matchAll(/^\[steps? (\d+)(?: to (\d+))?: \/context\/steps\/runs\//gm)].map(
        ([, first, last]) => [Number(first), Number(last ?? first)] as const,
      ),
    );
    if (runs.length === 0) continue;
    selections++;
    const whole = context.filter((one) => one.getType() === "ai" || one.getType() === "human");
    const folded = runs.reduce((sum, [first, last]) => sum + last - first + 1, 0);
    const stands = whole.length - context.filter((one) => foldOf(one)?.kind === "chunk").length;
    // A step is an AI message with its result, or a user message.
    const steps = thread
      .slice(0, thread.indexOf(message) + 1)
      .filter((one) => one.getType() !== "tool").length;
    expect(folded + stands).toBe(steps);
    expect(runs.slice(1).every(([first], at) => first > (runs[at]?.[1] ?? 0))).toBe(true);
  }
  expect(selections).toBeGreaterThan(100);
});

it("heads between many short user messages take a share of the budget that does not grow with their number", async () => {
  const thread = history({ steps: 900, result: (step) => filler(30, step) }).flatMap((message, at) =>
    message.getType() === "ai" ? [new HumanMessage({ id: `u${at}`, content: "Next." }), message] : [message],
  );
  const heads = async (steps: number) => {
    const files = VirtualFilesystem.inMemory();
    const context = await selected(
      { files, budget: 4_000, onError: "throw" },
      thread.slice(0, 3 * steps + 1),
    );
    const told = textOf(context).match(/^\[steps? \d+(?: to \d+)?: .*$/gm) ?? [];
    expect(estimateTokens(context)).toBeLessThanOrEqual(4_000);
    return told.join("\n").length / 4;
  };
  expect(await heads(300)).toBeLessThan(0.12 * 4_000);
  expect(await heads(900)).toBeLessThan(0.12 * 4_000);
});
