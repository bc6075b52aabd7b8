// A person sees what a compaction would fold, and lets it happen. Run: npx tsx examples/hosts/approve-compaction.ts
import type { HumanMessage } from "@langchain/core/messages";
import { Command, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionCondition, compactionNode, contextInput, fileTools } from "@palimpsest/langgraph";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { previewThread, readThread } from "@palimpsest/langgraph/threads";
import { createAgent, humanInTheLoopMiddleware, type AgentMiddleware, type HITLRequest } from "langchain";
import { LogReader, logTool } from "../shared/log-reader.js";
import { config, print, question, type HostRun } from "./host-run.js";

export interface ApprovedRun extends HostRun {
  /** What the person was asked, in order. */
  readonly asked: readonly string[];
}

/** The run stops before the node of a compaction. The condition leads there only where something is to be folded. */
export async function approveTheNode(): Promise<ApprovedRun> {
  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader();
  const options = { files, model, summaryModel: "none" as const };
  const toNode = compactionCondition(options);
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("compact", compactionNode(options), { input: contextInput })
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([logTool, ...fileTools({ files })]), { input: contextInput })
    .addConditionalEdges(START, toNode, ["compact", "model"])
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addConditionalEdges("tools", toNode, ["compact", "model"])
    .compile({ checkpointer: saver, interruptBefore: ["compact"] });

  const asked: string[] = [];
  await graph.invoke({ messages: [question] }, config);
  while ((await graph.getState(config)).next.length > 0) {
    const { folds, tokensBefore, tokensAfter } = await previewThread(graph, config, options);
    if (folds.length > 0)
      // else the node only notes what is sent
      asked.push(`Fold ${folds.length} parts, from ${tokensBefore} tokens to about ${tokensAfter}?`);
    await graph.invoke(null, config); // yes; to refuse, go on from the node: updateState(config, {}, "compact")
  }
  const thread = await readThread(graph, config, { files });
  return { prompts: model.promptTokens, answer: thread.at(-1)?.text, thread, asked };
}

interface Interrupted {
  readonly __interrupt__?: readonly { readonly value: HITLRequest }[];
}

/** The agent asks for a compaction with a tool, and a person approves the call. */
export async function approveTheTool(): Promise<ApprovedRun> {
  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader({ compressAbove: 50 });
  // Its types are those of zod 3, which exactOptionalPropertyTypes refuses beside zod 4.
  const interruptOn = { compress_context: { allowedDecisions: ["approve", "reject"] } } as const;
  const approval = humanInTheLoopMiddleware({ interruptOn } as never) as unknown as AgentMiddleware;
  const agent = createAgent({
    model,
    tools: [logTool],
    checkpointer: saver,
    middleware: [approval, contextMiddleware({ files, summaryModel: "none", agentControlled: true })],
  });
  const asked: string[] = [];
  for (let input: { messages: HumanMessage[] } | Command = { messages: [question] }; ;) {
    const { __interrupt__: interrupts = [] } = (await agent.invoke(input, config)) as Interrupted;
    const requests = interrupts.flatMap(({ value }) => value.actionRequests);
    if (requests.length === 0) break;
    asked.push(...requests.map(({ name, args }) => `${name}: ${String(args["reason"])}?`));
    input = new Command({ resume: { decisions: requests.map(() => ({ type: "approve" })) } });
  }
  const thread = await readThread(agent.graph, config, { files });
  return { prompts: model.promptTokens, answer: thread.at(-1)?.text, thread, asked };
}

if (process.argv[1] === import.meta.filename) {
  for (const run of [approveTheNode, approveTheTool]) {
    const approved = await run();
    for (const text of approved.asked) console.log(`${text} yes`);
    print(approved);
  }
}
