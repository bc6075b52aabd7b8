// The three ways to write a state. Run: npx tsx examples/hosts/state-styles.ts
import type { BaseMessage } from "@langchain/core/messages";
import {
  Annotation,
  MessagesAnnotation,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { MessagesZodMeta } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { registry } from "@langchain/langgraph/zod";
import { VfsSaver } from "@palimpsest/checkpoint";
import {
  compactionNode,
  contextAnnotation,
  contextState,
  contextZodShape,
  fileTools,
} from "@palimpsest/langgraph";
import { readThread } from "@palimpsest/langgraph/threads";
import { z } from "zod";
import { LogReader, logTool } from "../shared/log-reader.js";
import { config, print, question, type HostRun } from "./host-run.js";

const messages = z.custom<BaseMessage[]>().register(registry, MessagesZodMeta as never);

export const stateStyles = {
  annotation: () => new StateGraph(Annotation.Root({ ...MessagesAnnotation.spec, ...contextAnnotation })),
  schema: () => new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState })),
  zod: () => new StateGraph(z.object({ messages, ...contextZodShape })),
};

export async function runStateStyle(style: keyof typeof stateStyles): Promise<HostRun> {
  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader();
  const graph = (stateStyles[style]() as ReturnType<typeof stateStyles.schema>)
    .addNode("compact", compactionNode({ files, model, summaryModel: "none" }))
    .addNode("model", async (state) => ({ messages: [await model.invoke(state.messages)] }))
    .addNode("tools", new ToolNode([logTool, ...fileTools({ files })]))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: saver });
  const end = await graph.invoke({ messages: [question] }, config);
  const thread = await readThread(graph, config, { files });
  return { prompts: model.promptTokens, answer: end.messages.at(-1)?.text, thread };
}

if (process.argv[1] === import.meta.filename) {
  for (const style of ["annotation", "schema", "zod"] as const) print(await runStateStyle(style));
}
