import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ModelProfile } from "@langchain/core/language_models/profile";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { estimateTokens } from "@palimpsest/context";
import { z } from "zod";

const photos = 24;
const colours = ["green", "red", "blue"] as const;

/** Returns a photo: a GIF of one pixel. */
export const photoTool = tool(
  ({ number }) => [
    { type: "text", text: `photo-${number} of the fence` },
    { type: "image", mimeType: "image/gif", data: gifOf(number % colours.length) },
  ],
  {
    name: "take_photo",
    description: "Takes a photo.",
    schema: z.object({ number: z.number().int().min(1).max(photos) }),
  },
);

/** An offline model that looks at all photos, and then says which colour the fence had in the first one. */
export class PhotoViewer extends BaseChatModel {
  /** Tokens of every prompt. */
  readonly promptTokens: number[] = [];

  constructor() {
    super({});
  }

  override get profile(): ModelProfile {
    return { maxInputTokens: 16_000 };
  }

  override bindTools(): this {
    return this;
  }

  override _llmType(): string {
    return "photo-viewer";
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.promptTokens.push(estimateTokens(messages));
    return { generations: [{ text: "", message: nextStep(messages) }] };
  }
}

/** Knows nothing but its prompt: it looks up in the archive what it no longer sees. */
function nextStep(messages: readonly BaseMessage[]): AIMessage {
  const text = messages.map((message) => message.text).join("\n");
  const taken = Math.max(0, ...[...text.matchAll(/Taking photo (\d+)/g)].map(([, number]) => Number(number)));
  if (taken < photos) return calling(`Taking photo ${taken + 1}`, "take_photo", { number: taken + 1 });
  const image = imageIn(messages.at(-1));
  if (image !== undefined) return new AIMessage(`In the first photo the fence was ${colourOf(image)}.`);
  const newest = messages.at(-1)?.text ?? "";
  const path =
    /photo-1 of the fence[^]*?read_file shows it again: (\S+?)\]/.exec(newest)?.[1] ??
    /^(\/\S+\.md):\d+:/.exec(newest)?.[1];
  if (path !== undefined) return calling("Looking there", "read_file", { path });
  return calling("Where is it?", "grep", { pattern: "photo-1 of the fence", path: "/" });
}

function calling(content: string, name: string, args: Record<string, unknown>): AIMessage {
  return new AIMessage({ content, tool_calls: [{ id: crypto.randomUUID(), name, args }] });
}

function imageIn(message: BaseMessage | undefined): string | undefined {
  if (message?.name !== "read_file" || typeof message.content === "string") return undefined;
  const block = message.content.find(({ type }) => type === "image");
  return block === undefined ? undefined : String((block as { readonly data?: unknown }).data);
}

/** Returns a GIF in base64 whose table of colours holds one: green, red or blue. */
function gifOf(colour: number): string {
  const table =
    [
      [0, 128, 0],
      [255, 0, 0],
      [0, 0, 255],
    ][colour] ?? [];
  const image = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b];
  const bytes = [...Buffer.from("GIF89a"), 1, 0, 1, 0, 0x80, 0, 0, ...table, 0, 0, 0, ...image];
  return Buffer.from(bytes).toString("base64");
}

function colourOf(gif: string): string {
  const [red = 0, green = 0] = Buffer.from(gif, "base64").subarray(13, 16);
  return green > 0 ? "green" : red > 0 ? "red" : "blue";
}
