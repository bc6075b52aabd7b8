import type { BaseMessage } from "@langchain/core/messages";
import { ForeignMessage } from "./foreign-message.js";
import { valueImage } from "./value-image.js";

/**
 * Returns all that a message holds, its class included, as a text to compare: of the live object, and so
 * independent of the stored form that it may have come from.
 *
 * Pure. A `ForeignMessage` looks like the `ChatMessage` that it comes back as.
 */
export function messageImage(message: BaseMessage): string {
  const type = message.getType();
  const foreign = message.constructor === ForeignMessage;
  const name = foreign ? "ChatMessage" : message.constructor.name;
  const own = Object.entries(message).filter(([key, value]) => !key.startsWith("lc_") && value !== undefined);
  const fields = {
    ...Object.fromEntries(own),
    ...(foreign ? { type: "generic", role: type } : {}),
  };
  return `${name} ${valueImage(fields)}`;
}
