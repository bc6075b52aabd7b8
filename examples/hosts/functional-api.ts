// The functional API: the node is a function, called by hand. Run: npx tsx examples/hosts/functional-api.ts
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { entrypoint, getPreviousState, messagesStateReducer, task } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode, fileTools, type CompactionState } from "@palimpsest/langgraph";
import { LogReader, logTool } from "../shared/log-reader.js";
import { config, print, question, type HostRun } from "./host-run.js";

interface State {
  /** The thread, which only grows. */
  readonly messages: BaseMessage[];
  /** What the model is sent. */
  readonly context: BaseMessage[];
  readonly compaction: CompactionState;
}

export async function runFunctionalApi(): Promise<HostRun> {
  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader();
  const tools = new ToolNode([logTool, ...fileTools({ files })]);
  const compact = compactionNode({ files, model, summaryModel: "none", outputKey: "context" });
  const callModel = task("model", async (context: BaseMessage[]) => model.invoke(context));
  const callTools = task("tools", async (call: AIMessage): Promise<{ messages: BaseMessage[] }> =>
    tools.invoke({ messages: [call] }),
  );

  const agent = entrypoint(
    { name: "agent", checkpointer: saver },
    async (input: BaseMessage[], runConfig) => {
      let state: State = getPreviousState<State>() ?? { messages: [], context: [], compaction: {} };
      for (let added = input; ;) {
        const messages = messagesStateReducer(state.messages, added);
        const update = await compact({ ...state, messages }, runConfig);
        const compaction = { ...state.compaction, ...(update["compaction"] as CompactionState | undefined) };
        state = { messages, context: update["context"] as BaseMessage[], compaction };
        const answer = await callModel(state.context);
        added = answer.tool_calls?.length ? [answer, ...(await callTools(answer)).messages] : [answer];
        if (added.length > 1) continue;
        const save = { ...state, messages: messagesStateReducer(messages, added) };
        return entrypoint.final({ value: save.messages, save });
      }
    },
  );
  const thread = await agent.invoke([question], config);
  return { prompts: model.promptTokens, answer: thread.at(-1)?.text, thread };
}

if (process.argv[1] === import.meta.filename) print(await runFunctionalApi());
