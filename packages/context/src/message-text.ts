import type { BaseMessage } from "@langchain/core/messages";

/** One block of a message's content, of whatever provider. */
export type Block = Readonly<Record<string, unknown>>;

/** Returns the content as blocks: a string is one text block, an empty string none. Never throws. */
export function contentBlocks(message: BaseMessage): readonly Block[] {
  const content: unknown = message.content;
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.map((block: unknown) =>
    typeof block === "object" && block !== null ? (block as Block) : { type: "text", text: String(block) },
  );
}

/** Returns the text that a model reads in a message's content, without tool calls and reasoning. */
export function messageText(message: BaseMessage): string {
  if (typeof message.content === "string") return message.content;
  return contentBlocks(message)
    .map((block) => (typeof block["text"] === "string" ? block["text"] : ""))
    .filter((text) => text !== "")
    .join("\n");
}

/** True for a block that a provider bills as a picture, sound or file and not by its characters. */
export function isMediaBlock(block: Block): boolean {
  return /^(image|input_image|audio|input_audio|video|file|document|media)/.test(String(block["type"]));
}
