import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { contextMiddleware } from "./context-middleware.js";

const thread = [
  ...history({ steps: 15, result: (step) => filler(2_000, step) }),
  new AIMessage({ id: "found", content: "Found." }),
  new HumanMessage({ id: "more", content: "Let somebody check it." }),
];

const forms = {
  "an object": (update: object) => update,
  "a list of channels": (update: object) => Object.entries(update),
};

it.each(Object.entries(forms))(
  "a subagent with a small window that returns its whole state as %s compacts nothing of the agent that called it",
  async (_, form) => {
    const files = VirtualFilesystem.inMemory();
    const events: ContextEvent[] = [];
    const onEvent = (event: ContextEvent) => events.push(event);
    const own = () => contextMiddleware({ files, summaryModel: "none", fileTools: [], onEvent });
    const small = new ScriptedModel(() => new AIMessage("Checked."), 0, 16_000);
    const subagent = createAgent({ model: small, tools: [], middleware: [own()] });
    // As the tool `task` of deepagents does it.
    const task = tool(
      async ({ question }, config) => {
        const state = await subagent.invoke({ messages: [new HumanMessage(question)] });
        const { messages, ...rest } = state as { messages: BaseMessage[] };
        const { id = "" } = (config as { toolCall?: { id?: string } }).toolCall ?? {};
        const result = new ToolMessage({ tool_call_id: id, content: messages.at(-1)?.text ?? "" });
        return new Command({ update: form({ ...rest, messages: [result] }) as never });
      },
      { name: "task", schema: z.object({ question: z.string() }) },
    );
    const calls = [{ id: "call", name: "task", args: { question: "Is it so?" } }];
    const replies = [
      new AIMessage({ id: "asks", content: "", tool_calls: calls }),
      new AIMessage({ id: "ends", content: "It is." }),
    ];
    const large = new ScriptedModel(() => replies.shift()!, 0, 200_000);
    const parts = { tools: [task], middleware: [own()], checkpointer: new MemorySaver() };
    const { messages } = await createAgent({ ...parts, model: large }).invoke(
      { messages: thread },
      inThread("t"),
    );
    expect(events).toEqual([]);
    expect(large.prompts[1]?.slice(0, thread.length).map(({ id }) => id)).toEqual(thread.map(({ id }) => id));
    expect(messages.slice(-2).map(({ text }) => text)).toEqual(["Checked.", "It is."]);
  },
);
