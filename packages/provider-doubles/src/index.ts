export {
  anthropicDouble,
  type AnthropicCall,
  type AnthropicDouble,
  type AnthropicDoubleOptions,
} from "./anthropic/anthropic-double.js";
export type { MessagesRequest } from "./anthropic/wire.js";
export {
  openAIDouble,
  type OpenAICall,
  type OpenAIDouble,
  type OpenAIDoubleOptions,
} from "./openai/openai-double.js";
export {
  googleDouble,
  type GoogleCall,
  type GoogleDouble,
  type GoogleDoubleOptions,
} from "./google/google-double.js";
export type { GenerateRequest } from "./google/contents.js";
export type { ResponsesRequest } from "./openai/items.js";
export { canonicalJson, type BindingFault, type InvalidReasoning } from "./prefix-binding.js";
export type { ScriptedReply } from "./scripted-reply.js";
