import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { ContextError } from "@palimpsest/context";

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly tools?: unknown[];
}

interface Model {
  invoke(messages: BaseMessage[], options?: Omit<CallOptions, "tools">): Promise<BaseMessage>;
  compactNatively?(messages: BaseMessage[], options?: CallOptions): Promise<BaseMessage>;
}

/** Asks a provider to compact messages. */
export type NativeCompactor = (messages: BaseMessage[], options: CallOptions) => Promise<BaseMessage>;

/** The last item of a request to OpenAI's Responses API that returns a compaction in place of an answer. */
const trigger = { type: "compaction_trigger" };

/**
 * Returns the function with which a model asks its provider to compact, or undefined for a model that cannot.
 *
 * `@langchain/openai` sends output items back unchanged, so it carries the trigger and the compaction. `@langchain/anthropic`
 * sends a block back without its signature, which the API refuses; it needs `compactNatively`.
 */
function nativeCompactor(model: Model | undefined): NativeCompactor | undefined {
  if (model?.compactNatively !== undefined) return model.compactNatively.bind(model);
  if (model === undefined || !usesResponses(model)) return undefined;
  const asking = new AIMessage({ content: [], response_metadata: { output: [trigger] } });
  return (messages, { tools = [], ...options }) =>
    (tools.length === 0 ? model : withTools(model, tools)).invoke([...messages, asking], options);
}

/** Reasoning is bound to the tools of a call, so the call has those of the agent. */
function withTools(model: Model & OpenAIModel, tools: unknown[]): Model {
  return model.bindTools?.(tools) ?? model;
}

interface OpenAIModel {
  readonly _llmType?: () => string;
  readonly _useResponsesApi?: (options: object) => boolean;
  readonly bindTools?: (tools: unknown[]) => Model;
}

/** True for a `ChatOpenAI` that calls the Responses API for these options and messages. */
function usesResponses(model: Model): boolean {
  const openAI = model as Model & OpenAIModel;
  // oxlint-disable-next-line no-underscore-dangle -- LangChain has no public name for either
  return openAI._llmType?.() === "openai" && openAI._useResponsesApi?.({}) === true;
}

interface NativeOptions {
  readonly model?: Model;
  readonly prepareAt?: number;
}

/** Returns the compactor of `summaryModel: "native"`. @throws ContextError `bad-option`, naming the way out. */
export function requireNative({ model, prepareAt }: NativeOptions): NativeCompactor {
  if (prepareAt !== undefined) {
    throw new ContextError(
      "bad-option",
      `prepareAt is ${prepareAt} and summaryModel is "native": a provider compacts what it is sent, so leave one of them out`,
    );
  }
  const compactor = nativeCompactor(model);
  if (compactor !== undefined) return compactor;
  throw new ContextError(
    "bad-option",
    'summaryModel is "native", and model cannot carry a compaction of its provider: pass a ChatOpenAI with useResponsesApi, ' +
      "or a model with compactNatively (for Anthropic see the example 12-native-compaction), or leave summaryModel out",
  );
}
