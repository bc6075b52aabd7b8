// A tool node of your own, and tools that return a Command. Run: npx tsx examples/hosts/own-tool-node.ts
import { ToolMessage, type AIMessage } from "@langchain/core/messages";
import { tool, type StructuredToolInterface } from "@langchain/core/tools";
import { Command, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode, contextState, fileTools } from "@palimpsest/langgraph";
import { readThread } from "@palimpsest/langgraph/threads";
import { z } from "zod";
import { LogReader, logTool } from "../shared/log-reader.js";
import { config, print, question, type HostRun } from "./host-run.js";

/** Returns its result as an update of the state. */
const commandingTool = tool(
  async ({ number }, { toolCall }) =>
    new Command({
      update: {
        lastLog: number,
        messages: [
          new ToolMessage({
            name: "read_log",
            tool_call_id: toolCall.id,
            content: await logTool.invoke({ number }),
          }),
        ],
      },
    }),
  { name: "read_log", description: "Returns a whole log file.", schema: z.object({ number: z.number() }) },
);

export async function runOwnToolNode({ commands }: { readonly commands: boolean }): Promise<HostRun> {
  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader();
  const tools: StructuredToolInterface[] = [commands ? commandingTool : logTool, ...fileTools({ files })];
  const State = new StateSchema({ messages: MessagesValue, lastLog: z.number().default(0), ...contextState });

  /** Runs one call after the other. */
  async function ownToolNode({ messages }: typeof State.State) {
    const results: ToolMessage[] = [];
    for (const call of (messages.at(-1) as AIMessage).tool_calls ?? []) {
      const called = tools.find(({ name }) => name === call.name);
      results.push((await called?.invoke({ ...call, type: "tool_call" })) as ToolMessage);
    }
    return { messages: results };
  }

  const graph = new StateGraph(State)
    .addNode("compact", compactionNode({ files, model, summaryModel: "none" }))
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", (commands ? new ToolNode(tools) : ownToolNode) as ToolNode)
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: saver });
  const { messages } = await graph.invoke({ messages: [question] }, config);
  const thread = await readThread(graph, config, { files });
  return { prompts: model.promptTokens, answer: messages.at(-1)?.text, thread };
}

if (process.argv[1] === import.meta.filename) {
  print(await runOwnToolNode({ commands: false }));
  print(await runOwnToolNode({ commands: true }));
}
