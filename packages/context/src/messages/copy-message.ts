import type { BaseMessage } from "@langchain/core/messages";

/**
 * Returns a copy of `message` with some fields changed; everything else, its class included, stays.
 *
 * Pure; a frozen message gives a copy that is not. Goes round the constructors on purpose: they drop fields
 * (`invalid_tool_calls` of a chunk), add some (`tool_calls` out of content blocks) and would not exist here for a
 * message class of somebody else. `lc_kwargs` is rewritten too, because serialization reads it and not the fields.
 */
export function copyMessage<Message extends BaseMessage>(
  message: Message,
  changes: Readonly<Record<string, unknown>>,
): Message {
  const fields = { ...(message.id === undefined ? {} : { id: message.id }), ...changes };
  const kwargs: Record<string, unknown> = { ...message.lc_kwargs, ...fields };
  // A v1 message keeps its content under this second name; the stale one would win on reload.
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
