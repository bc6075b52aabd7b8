import { ChatMessage, type BaseMessage } from "@langchain/core/messages";
import { copyMessage } from "../copy-message.js";
import { jsonText } from "./json-text.js";
import { standsFor } from "./original-message.js";
import { isFlat, isSoundValue, soundValue } from "./sound-value.js";

type Fields = Readonly<Record<string, unknown>>;

/** The form of each message that readers see: nearly always the message itself. */
const forms = new WeakMap<BaseMessage, BaseMessage>();

/**
 * Returns a message in the form that every reader may rely on: the message itself, unless a field has a type that LangChain does
 * not declare, is nested too deep to follow, or cannot be shown as JSON.
 *
 * A reducer lets in what a client sends, and parsers of LangChain make such fields too, such as `args: null`. The form has the
 * type, the id and the other fields of the message, and about its size. `originalMessage` returns what came in, and so do the
 * archive and every copy of the form. Never throws.
 */
export function soundMessage(message: BaseMessage): BaseMessage {
  if (isShallow(message)) return message;
  const known = forms.get(message);
  if (known !== undefined) return known;
  const form = formOf(message);
  forms.set(message, form);
  if (form === message) return message;
  forms.set(form, form);
  standsFor(form, message);
  return form;
}

/** True for a sound message whose fields are all flat, as most are. To look again costs less than to remember it. */
function isShallow(message: BaseMessage): boolean {
  try {
    const fields = message as unknown as Fields;
    const { content, tool_calls: calls, invalid_tool_calls: invalid } = fields;
    return (
      typeof content === "string" &&
      isSoundFrame(fields) &&
      isListOf(calls, isFlatCall) &&
      isListOf(invalid, isInvalidCall)
    );
  } catch {
    return false;
  }
}

function isFlatCall(call: unknown): boolean {
  return isNamedCall(call) && isFlat(call["args"]);
}

/** True where no field needs a change. Allocates nothing: a loaded thread passes through here whole. */
function isSound(fields: Fields): boolean {
  return (
    isSoundFrame(fields) &&
    isContent(fields["content"]) &&
    isListOf(fields["tool_calls"], isCall) &&
    isListOf(fields["invalid_tool_calls"], isInvalidCall)
  );
}

/** True where the fields around the content and the calls need no change. */
function isSoundFrame(fields: Fields): boolean {
  return (
    isText(fields["id"]) &&
    isText(fields["name"]) &&
    isText(fields["tool_call_id"]) &&
    isRecord(fields["additional_kwargs"]) &&
    isRecord(fields["response_metadata"])
  );
}

/** Returns the form of a message; itself where no field needs a change. */
function formOf(message: BaseMessage): BaseMessage {
  try {
    const fields = message as unknown as Fields;
    return isSound(fields) ? message : copyMessage(message, changesOf(fields));
  } catch {
    return unreadable("[A message that cannot be read]");
  }
}

function unreadable(content: string): BaseMessage {
  return new ChatMessage({ role: "unknown", content });
}

/** Returns the fields that need a change, with what they become. */
function changesOf(fields: Fields): Fields {
  const { id, name, content, tool_call_id: callId, tool_calls: calls, invalid_tool_calls: invalid } = fields;
  const { additional_kwargs: kwargs, response_metadata: metadata } = fields;
  return {
    ...(isText(id) ? {} : { id: undefined }),
    ...(isText(name) ? {} : { name: textOf(name) }),
    ...(isText(callId) ? {} : { tool_call_id: textOf(callId) }),
    ...(isContent(content) ? {} : { content: soundContent(content) }),
    ...(isListOf(calls, isCall) ? {} : { tool_calls: recordsIn(calls).map(soundCall) }),
    ...(isListOf(invalid, isInvalidCall)
      ? {}
      : { invalid_tool_calls: recordsIn(invalid).map(soundInvalidCall) }),
    ...(isRecord(kwargs) ? {} : { additional_kwargs: {} }),
    ...(isRecord(metadata) ? {} : { response_metadata: {} }),
  };
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

/** Returns the text of a name or an id. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : jsonText(value);
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function recordsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return value === undefined || (Array.isArray(value) && value.every(isItem));
}

function isContent(content: unknown): boolean {
  return typeof content === "string" || (Array.isArray(content) && content.every(isBlock));
}

function isBlock(block: unknown): boolean {
  if (typeof block === "string") return true;
  return isRecord(block) && isText(block["type"]) && isSoundValue(block);
}

function soundContent(content: unknown): unknown {
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content)) return jsonText(content);
  return content.map((block: unknown) => {
    if (isBlock(block)) return block;
    const sound = isRecord(block) ? soundValue(block) : undefined;
    if (!isRecord(sound)) return { type: "text", text: jsonText(block) };
    return { ...sound, type: textOf(sound["type"]) };
  });
}

function isCall(call: unknown): boolean {
  if (!isNamedCall(call)) return false;
  const { args } = call;
  return typeof args === "object" && args !== null && isSoundValue(args);
}

function isNamedCall(call: unknown): call is Fields {
  return isRecord(call) && isText(call["id"]) && typeof call["name"] === "string";
}

/** Arguments that are no object are where {@link toolCalls} puts those that do not parse. */
function soundCall(call: Fields): Fields {
  const args = soundValue(call["args"]);
  return {
    ...soundNames(call),
    args: typeof args === "object" && args !== null ? args : { arguments: args },
    type: "tool_call",
  };
}

function isInvalidCall(call: unknown): boolean {
  return isRecord(call) && ["id", "name", "args", "error"].every((key) => isText(call[key]));
}

function soundInvalidCall(call: Fields): Fields {
  const args = isText(call["args"]) ? call["args"] : jsonText(call["args"]);
  return { ...soundNames(call), args, type: "invalid_tool_call" };
}

function soundNames({ id, name }: Fields): Fields {
  return { name: textOf(name) ?? "unknown", id: textOf(id) };
}
