import { type BaseChatModel } from "@langchain/core/language_models/chat_models";
import {
  AIMessage,
  SystemMessage,
  type AIMessageChunk,
  type BaseMessage,
  type StandardMessageStructure,
} from "@langchain/core/messages";
import { type RunnableConfig } from "@langchain/core/runnables";
import { type StructuredToolInterface } from "@langchain/core/tools";
import { type CompactionState, withContextBudget } from "@palimpsest/langgraph";
import { type Recorder } from "../recorder.js";
import { toWireTool } from "../wire-tool.js";

/** What the node reads of the state. */
export type ModelState = {
  readonly messages: BaseMessage[];
  readonly compaction?: CompactionState;
};

/** What a model node is made of. */
export interface ModelNodeOptions {
  readonly model: BaseChatModel;
  readonly systemPrompt: string;
  /** The tools to bind: the same at every call, so that the prompt's prefix holds. */
  readonly tools: readonly StructuredToolInterface[];
  readonly recorder: Recorder;
}

/** Returns the node that calls the model with the system prompt, the messages of the state, and the tools. */
export function modelNode({ model, systemPrompt, tools, recorder }: ModelNodeOptions) {
  const system = new SystemMessage(systemPrompt);
  return async function callModel(
    state: ModelState,
    config: RunnableConfig,
  ): Promise<{ messages: BaseMessage[] }> {
    const threadId = String(config.configurable?.["thread_id"]);
    const bound = [...tools];
    const prompt = [system, ...withContextBudget(state.messages, state.compaction)];
    if (model.bindTools === undefined) throw new TypeError(`${model.getName()} cannot bind tools`);
    recorder.prompt(threadId, prompt, bound.map(toWireTool));
    const reply = await joined(await model.bindTools(bound).stream(prompt, config));
    recorder.message(threadId, reply);
    return { messages: [reply] };
  };
}

/**
 * The whole reply of a stream. The node streams instead of invoking a streaming model: `ChatOpenAI` would then fetch a
 * vocabulary from the internet to estimate the usage that the server has just reported.
 */
async function joined(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessage> {
  let reply: AIMessageChunk | undefined;
  for await (const chunk of stream) reply = reply === undefined ? chunk : reply.concat(chunk);
  if (reply === undefined) throw new Error("The model ended its stream without a reply.");
  const { id, content, tool_calls = [], invalid_tool_calls = [], usage_metadata } = reply;
  return new AIMessage<StandardMessageStructure>({
    ...(id === undefined ? {} : { id }),
    content,
    tool_calls,
    invalid_tool_calls,
    ...(usage_metadata === undefined ? {} : { usage_metadata }),
    additional_kwargs: reply.additional_kwargs,
    response_metadata: reply.response_metadata,
  });
}
