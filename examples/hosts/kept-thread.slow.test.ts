// A deep agent whose thread stays whole for its interface: what is stored, and what the interface sees.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { VfsSaver } from "@palimpsest/checkpoint";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { createDeepAgent } from "deepagents";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-kept-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const contextWindow = 24_000;
const pages = 10;

const page = tool(({ number }) => `line of page ${number}: ${Math.sqrt(number)}\n`.repeat(120), {
  name: "page",
  description: "Returns a page.",
  schema: z.object({ number: z.number() }),
});

/** Reads ten pages in each turn. */
class PageReader extends FakeListChatModel {
  readonly prompts: (readonly BaseMessage[])[] = [];
  #calls = 0;

  constructor() {
    super({ responses: [""] });
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]) {
    const number = this.#calls++;
    this.prompts.push(messages);
    const isLast = number % (pages + 1) === pages;
    const calls = isLast ? [] : [{ id: `c${number}`, name: "page", args: { number } }];
    const message = new AIMessage({ content: isLast ? "Read." : "", tool_calls: calls });
    return { generations: [{ text: "", message }] };
  }
}

/** Returns the thread of a deep agent, the tokens of its largest prompt, and the bytes of the database. */
async function readPages(turns: number, keepThread: boolean) {
  const path = join(folder, `${keepThread}.db`);
  const saver = VfsSaver.fromPath(path);
  const model = new PageReader();
  const agent = createDeepAgent({
    model,
    tools: [page],
    middleware: [
      contextMiddleware({
        files: saver.files,
        host: "deepagents",
        summaryModel: "none",
        contextWindow,
        keepThread,
      }),
    ],
    checkpointer: saver,
  });
  const config = { configurable: { thread_id: "t1" }, recursionLimit: 300 };
  let messages: readonly BaseMessage[] = [];
  for (let turn = 0; turn < turns; turn++)
    ({ messages } = await agent.invoke({ messages: [new HumanMessage(`Read on, part ${turn}.`)] }, config));
  await saver.close();
  return {
    messages,
    bytes: statSync(path).size,
    largest: Math.max(...model.prompts.map((prompt) => estimateTokens(prompt))),
  };
}

it("shows its thread whole, sends what fits, and stores little more than a thread that is rewritten", async () => {
  const kept = await readPages(8, true);
  const rewritten = await readPages(8, false);
  expect(kept.messages).toHaveLength(8 * (2 * pages + 2));
  expect(kept.messages.filter((message) => foldOf(message) !== undefined)).toEqual([]);
  expect(rewritten.messages.length).toBeLessThan(kept.messages.length);
  expect(kept.largest).toBeLessThan(contextWindow);
  expect(kept.bytes).toBeLessThan(1.2 * rewritten.bytes);
});
