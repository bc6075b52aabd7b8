import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import { z } from "zod";
import type { RunnableConfig } from "@langchain/core/runnables";
import { laneOf } from "../lanes/lane-use.js";
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
    const lane = { name: "checker", share: "all" } as const;
    const own = () => contextMiddleware({ files, summaryModel: "none", fileTools: [], onEvent });
    const checks = contextMiddleware({
      files,
      summaryModel: "none",
      fileTools: [],
      limits: { offload: 200 },
      lane,
    });
    const read = { id: "read", name: "read", args: {} };
    const said = [new AIMessage({ content: "", tool_calls: [read] }), new AIMessage("Checked.")];
    const small = new ScriptedModel((_, call) => said[call]!, 0, 16_000);
    const reading = tool(() => filler(1_000), { name: "read", schema: z.object({}) });
    const subagent = createAgent({ model: small, tools: [reading], middleware: [checks] });
    // As the tool `task` of deepagents does it.
    const task = tool(
      async ({ question }, config) => {
        const input = { messages: [new HumanMessage(question)] };
        const state = await subagent.invoke(input, config as RunnableConfig);
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
    const agent = createAgent({ ...parts, model: large });
    const { messages } = await agent.invoke({ messages: thread }, inThread("t"));
    expect(events).toEqual([]);
    expect(large.prompts[1]?.slice(0, thread.length).map(({ id }) => id)).toEqual(thread.map(({ id }) => id));
    expect(messages.slice(-2).map(({ text }) => text)).toEqual(["Checked.", "It is."]);
    expect(laneOf(messages.at(-2)!)).toMatchObject({
      ...lane,
      thread: "t",
      namespace: expect.stringMatching(/^tools:/),
    });
    expect(laneOf(messages.at(-1)!)).toBeUndefined();
    expect(await files.lanes("t").list()).toEqual([lane]);
  },
);
