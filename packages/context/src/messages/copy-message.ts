import type { BaseMessage } from "@langchain/core/messages";

/**
 * Returns a copy of `message` with `changes` applied. The class and all other fields stay.
 *
 * Pure. The copy of a frozen message is not frozen. The copy bypasses the constructors: they drop fields
 * (`invalid_tool_calls` of a chunk), add fields (`tool_calls` from content blocks), and the constructor of a custom
 * message class is not known here. `lc_kwargs` changes too, because serialization reads it instead of the fields.
 */
export function copyMessage<Message extends BaseMessage>(
  message: Message,
  changes: Readonly<Record<string, unknown>>,
): Message {
  const fields = { ...(message.id === undefined ? {} : { id: message.id }), ...changes };
  const kwargs: Record<string, unknown> = { ...message.lc_kwargs, ...fields };
  // A v1 message also keeps its content in `contentBlocks`, which takes precedence when the message is loaded.
  if ("content" in changes && "contentBlocks" in kwargs) kwargs["contentBlocks"] = changes["content"];
  const properties: Record<PropertyKey, PropertyDescriptor> = Object.getOwnPropertyDescriptors(message);
  for (const key of Object.isExtensible(message) ? [] : Reflect.ownKeys(properties)) {
    const writable = "value" in (properties[key] ?? {}) ? { writable: true } : {};
    properties[key] = { ...properties[key], ...writable, configurable: true };
  }
  for (const [key, value] of Object.entries({ ...fields, lc_kwargs: kwargs })) {
    properties[key] = { value, writable: true, enumerable: true, configurable: true };
  }
  return Object.create(Object.getPrototypeOf(message) as object, properties) as Message;
}
