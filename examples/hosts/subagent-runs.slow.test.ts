import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { VfsSaver } from "@palimpsest/checkpoint";
import { foldOf } from "@palimpsest/context";
import { readState, stepsOf, unfoldState } from "@palimpsest/inspector";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { createDeepAgent } from "deepagents";
import { expect, it } from "vitest";
import { z } from "zod";

/** Delegates two questions at once; as a subagent, reads a large page and answers. */
class ScriptedModel extends BaseChatModel {
  /** What it was sent as a subagent, without the system prompt. */
  readonly prompts: (readonly BaseMessage[])[] = [];

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const isSubagent = messages[0]?.text.includes("You read pages.") === true;
    const prompt = messages.filter((message) => message.getType() !== "system");
    if (isSubagent) this.prompts.push(prompt);
    const isAnswered = prompt.some((message) => ToolMessage.isInstance(message));
    const topics = isSubagent ? [prompt[0]?.text] : ["herons", "magpies"];
    const calls = topics.map((topic, at) =>
      isSubagent
        ? { id: `page-${topic}`, name: "page", args: { topic } }
        : { id: `task-${at}`, name: "task", args: { description: topic, subagent_type: "reader" } },
    );
    const message = isAnswered ? new AIMessage("Read.") : new AIMessage({ content: "", tool_calls: calls });
    return { generations: [{ text: message.text, message }] };
  }
}

const page = tool(({ topic }) => `a line about ${topic}\n`.repeat(500), {
  name: "page",
  description: "Returns a page.",
  schema: z.object({ topic: z.string() }),
});

const texts = (messages: readonly BaseMessage[]) => messages.map(({ text }) => text);

it("what each subagent of a deep agent was sent is read by its namespace, and its folds open", async () => {
  const saver = VfsSaver.inMemory();
  const model = new ScriptedModel({});
  const middleware = contextMiddleware({
    summaryModel: "none",
    files: saver.files,
    host: "deepagents",
    contextWindow: 40_000,
    limits: { offload: 1_000 },
    // What a call was sent is then what its checkpoint holds.
    keepThread: false,
  });
  const agent = createDeepAgent({
    model,
    checkpointer: saver,
    subagents: [
      {
        name: "reader",
        description: "Reads.",
        systemPrompt: "You read pages.",
        tools: [page],
        middleware: [middleware],
      },
    ],
  });
  await agent.invoke({ messages: [new HumanMessage("Go.")] }, { configurable: { thread_id: "deep" } });
  const namespaces = new Set<string>();
  for await (const { namespace } of saver.checkpoints("deep"))
    if (namespace !== "") namespaces.add(namespace);
  expect(namespaces.size).toBe(2);
  const sent = new Set<string>();
  for (const namespace of namespaces) {
    const run = { threadId: "deep", namespace };
    for (const { id } of await stepsOf(saver, run))
      sent.add(JSON.stringify(texts((await readState(saver, run, id)).context)));
    const newest = await readState(saver, run);
    expect(newest.context.filter((message) => foldOf(message)?.kind === "offload")).toHaveLength(1);
    const [question, , original] = await unfoldState(saver, newest);
    expect(original?.text).toBe(`a line about ${question?.text}\n`.repeat(500));
  }
  expect(model.prompts).toHaveLength(4);
  for (const prompt of model.prompts) expect([...sent]).toContain(JSON.stringify(texts(prompt)));
  await saver.close();
});
