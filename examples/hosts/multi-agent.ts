// Supervisor and swarm: every agent has the node as its preModelHook. Run: npx tsx examples/hosts/multi-agent.ts
import { AIMessage } from "@langchain/core/messages";
import { Annotation, MessagesAnnotation } from "@langchain/langgraph";
import { createSupervisor } from "@langchain/langgraph-supervisor";
import { createHandoffTool, createSwarm, SwarmState } from "@langchain/langgraph-swarm";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { fakeModel } from "@langchain/core/testing";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode, contextAnnotation, fileTools } from "@palimpsest/langgraph";
import { readThread } from "@palimpsest/langgraph/threads";
import { LogReader, logTool } from "../shared/log-reader.js";
import { config, print, question, type HostRun } from "./host-run.js";

const stateSchema = Annotation.Root({ ...MessagesAnnotation.spec, ...contextAnnotation });

/** A reader that compacts its own context, in the files of all agents. */
function readerOf(model: LogReader, saver: VfsSaver) {
  const { files } = saver;
  return createReactAgent({
    name: "reader",
    llm: model,
    tools: [logTool, ...fileTools({ files })],
    stateSchema,
    preModelHook: compactionNode({ files, model, summaryModel: "none" }),
  });
}

export async function runSupervisor(): Promise<HostRun> {
  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader();
  const llm = fakeModel()
    .respondWithTools([{ name: "transfer_to_reader", args: {} }])
    .respond((messages) => {
      const answer = messages.findLast(({ text }) => text.startsWith("The error code"));
      return new AIMessage(answer?.text ?? "The reader has not answered.");
    });
  const graph = createSupervisor({
    agents: [readerOf(model, saver)],
    llm,
    stateSchema,
    preModelHook: compactionNode({ files, contextWindow: 16_000 }),
    outputMode: "full_history",
  }).compile({ checkpointer: saver });
  const { messages } = await graph.invoke({ messages: [question] }, config);
  const thread = await readThread(graph, config, { files });
  return { prompts: model.promptTokens, answer: messages.at(-1)?.text, thread };
}

export async function runSwarm(): Promise<HostRun> {
  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader();
  const host = createReactAgent({
    name: "host",
    llm: fakeModel().respondWithTools([{ name: "transfer_to_reader", args: {} }]),
    tools: [createHandoffTool({ agentName: "reader" })],
    stateSchema,
    preModelHook: compactionNode({ files, contextWindow: 16_000 }),
  });
  const graph = createSwarm({
    // Its types ask for agents that have the state of a swarm alone.
    agents: [host, readerOf(model, saver)] as never[],
    defaultActiveAgent: "host",
    stateSchema: Annotation.Root({ ...SwarmState.spec, ...contextAnnotation }),
  }).compile({ checkpointer: saver });
  const { messages } = await graph.invoke({ messages: [question] }, config);
  const thread = await readThread(graph, config, { files });
  return { prompts: model.promptTokens, answer: messages.at(-1)?.text, thread };
}

if (process.argv[1] === import.meta.filename) {
  print(await runSupervisor());
  print(await runSwarm());
}
