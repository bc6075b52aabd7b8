import {
  AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  type AIMessageFields,
} from "@langchain/core/messages";
import { idField, type CallDraft, type Draft } from "./drafts.js";

/** Message forms of providers: they differ in where reasoning and calls are. */
export const aiStyles = [
  "plain",
  "anthropic",
  "openai-raw",
  "openai-responses",
  "openai-stored",
  "gemini",
  "standard",
  "blocks-only",
  "chunk",
] as const;
export type AiStyle = (typeof aiStyles)[number];

export interface AiParts {
  readonly style: AiStyle;
  readonly text: string;
  /** Reasoning before the text; undefined for none. */
  readonly thinking: string | undefined;
  readonly calls: readonly (CallDraft & { readonly id: string })[];
  /** Tokens of the prompt as the provider reported them; undefined when it did not. */
  readonly inputTokens: number | undefined;
}

/** Returns an AI message in the form of that style's provider. */
export function aiDraft(parts: AiParts): Draft {
  const { style, inputTokens } = parts;
  const usage = { input_tokens: inputTokens ?? 0, output_tokens: 7, total_tokens: (inputTokens ?? 0) + 7 };
  return {
    kind: "ai",
    build(id) {
      const common = { ...idField(id), ...(inputTokens === undefined ? {} : { usage_metadata: usage }) };
      const fields = { ...common, ...fieldsOf[style](parts) };
      if (style === "chunk") return new AIMessageChunk(fields as AIMessageChunkFields);
      return new AIMessage(fields as AIMessageFields);
    },
  };
}

const fieldsOf: Readonly<Record<AiStyle, (parts: AiParts) => Record<string, unknown>>> = {
  plain: (parts) => ({ ...callFields(parts), content: parts.text }),
  anthropic: (parts) => ({ ...callFields(parts), content: anthropicBlocks(parts) }),
  "openai-raw": (parts) => ({
    ...callFields(parts),
    content: parts.text,
    additional_kwargs: {
      // LangChain warns about raw calls without parsed ones.
      ...(parts.calls.every(({ broken }) => broken) ? {} : { tool_calls: parts.calls.map(rawCall) }),
      ...(parts.thinking === undefined ? {} : { reasoning_content: parts.thinking }),
    },
  }),
  "openai-responses": (parts) => ({
    ...callFields(parts),
    content: responsesBlocks(parts),
    response_metadata: { model: "m", output: parts.calls.map(outputItem) },
  }),
  "openai-stored": (parts) => ({
    ...callFields(parts),
    content: parts.text,
    ...(parts.thinking === undefined
      ? {}
      : { additional_kwargs: { reasoning: reasoningItem(parts.thinking) } }),
    response_metadata: { model: "m", output: storedOutput(parts) },
  }),
  gemini: (parts) => ({
    ...callFields(parts),
    content: geminiBlocks(parts),
    response_metadata: { model_provider: "google" },
  }),
  standard: (parts) => ({ ...callFields(parts), content: standardBlocks(parts) }),
  "blocks-only": (parts) => ({
    tool_calls: [],
    content: anthropicBlocks(parts),
    // A model that does not bind its reasoning to the prefix.
    response_metadata: { model: "claude-sonnet-4-5" },
  }),
  chunk: (parts) => ({
    content: parts.text,
    tool_call_chunks: parts.calls.map((call, index) => ({
      type: "tool_call_chunk",
      id: call.id,
      index,
      name: call.name,
      args: argsText(call),
    })),
  }),
};

function callFields({ calls }: AiParts) {
  return {
    tool_calls: calls
      .filter(({ broken }) => !broken)
      .map(({ id, name, args }) => ({ type: "tool_call" as const, id, name, args })),
    invalid_tool_calls: calls
      .filter(({ broken }) => broken)
      .map((call) => ({
        type: "invalid_tool_call" as const,
        id: call.id,
        name: call.name,
        args: argsText(call),
        error: "not JSON",
      })),
  };
}

function argsText({ args, broken }: CallDraft): string {
  return broken ? `${JSON.stringify(args)}}` : JSON.stringify(args);
}

function anthropicBlocks({ style, thinking, text, calls }: AiParts) {
  const reasoning =
    thinking === ""
      ? [{ type: "redacted_thinking", data: "EncryptedBytes==" }]
      : [{ type: "thinking", thinking, signature: "c2lnbmF0dXJl" }];
  const called = style === "blocks-only" ? calls : calls.filter(({ broken }) => !broken);
  return [
    ...(thinking === undefined ? [] : reasoning),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...called.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
  ];
}

function reasoningItem(thinking: string) {
  const summary = [{ type: "summary_text", text: thinking }];
  return { type: "reasoning", id: "rs_1", summary, encrypted_content: "gAAAA" };
}

function responsesBlocks({ thinking, text }: AiParts) {
  return [
    ...(thinking === undefined ? [] : [reasoningItem(thinking)]),
    ...(text === "" ? [] : [{ type: "text", text, annotations: [] }]),
  ];
}

/** The output of the Responses API as its client keeps it beside the message. */
function storedOutput({ thinking, text, calls }: AiParts) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return [
    ...(thinking === undefined ? [] : [reasoningItem(thinking)]),
    ...(text === "" ? [] : [{ type: "message", id: "msg_1", role: "assistant", content }]),
    ...calls.map(outputItem),
  ];
}

/** Gemini signs the part after its thoughts. */
function geminiBlocks({ thinking, text }: AiParts) {
  const signed = thinking === undefined ? {} : { thoughtSignature: "c2lnbmF0dXJl" };
  return text === "" ? [] : [{ type: "text", text, ...signed }];
}

function standardBlocks({ thinking, text }: AiParts) {
  return [
    ...(thinking === undefined ? [] : [{ type: "reasoning", reasoning: thinking }]),
    ...(text === "" ? [] : [{ type: "text", text }]),
  ];
}

function rawCall(call: CallDraft & { readonly id: string }) {
  return { id: call.id, type: "function" as const, function: { name: call.name, arguments: argsText(call) } };
}

function outputItem(call: CallDraft & { readonly id: string }) {
  return { type: "function_call", id: "fc_1", call_id: call.id, name: call.name, arguments: argsText(call) };
}
