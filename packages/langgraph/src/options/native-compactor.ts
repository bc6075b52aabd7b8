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
export function nativeCompactor(model: Model | undefined): NativeCompactor | undefined {
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
  readonly summaryMode?: string;
  readonly model?: Model;
  readonly prepareAt?: number;
}

/** Refuses `summaryMode: "native"` where it cannot work. @throws ContextError `bad-option`, naming the way out. */
export function checkNative({ summaryMode, model, prepareAt }: NativeOptions): void {
  if (summaryMode !== "native") return;
  if (prepareAt !== undefined) {
    throw new ContextError(
      "bad-option",
      `prepareAt is ${prepareAt} and summaryMode is "native": a provider compacts what it is sent, so leave one of them out`,
    );
  }
  if (nativeCompactor(model) !== undefined) return;
  throw new ContextError(
    "bad-option",
    'summaryMode is "native", and model cannot carry a compaction of its provider: pass a ChatOpenAI with useResponsesApi, ' +
      'or a model with compactNatively (for Anthropic see the example 12-native-compaction), or use "separate"',
  );
}
