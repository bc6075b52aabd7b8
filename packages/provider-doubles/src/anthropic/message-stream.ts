import type { ServerEvent } from "../http-server.js";
import type { Block } from "./wire.js";

export interface Reply {
  readonly id: string;
  readonly model: string;
  readonly content: readonly Block[];
  readonly stop_reason: string;
  readonly usage: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Returns a reply as the events of a stream, each block in several deltas. */
export function messageStream({ content, stop_reason, usage, ...start }: Reply): readonly ServerEvent[] {
  const { output_tokens: output, ...input } = usage;
  const message = {
    ...start,
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...input, output_tokens: 1 },
  };
  return [
    event("message_start", { message }),
    ...content.flatMap(blockEvents),
    event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: output } }),
    event("message_stop", {}),
  ];
}

function event(type: string, fields: object): ServerEvent {
  return { event: type, data: { type, ...fields } };
}

function blockEvents(block: Block, index: number): readonly ServerEvent[] {
  const { started, deltas } = partsOf(block);
  return [
    event("content_block_start", { index, content_block: started }),
    ...deltas.map((delta) => event("content_block_delta", { index, delta })),
    event("content_block_stop", { index }),
  ];
}

interface BlockParts {
  readonly started: Block;
  readonly deltas: readonly Block[];
}

function partsOf(block: Block): BlockParts {
  const halves = (field: string): readonly string[] => {
    const text = typeof block[field] === "string" ? block[field] : "";
    const middle = Math.ceil(text.length / 2);
    return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
  };
  switch (block.type) {
    case "text":
      return {
        started: { ...block, text: "" },
        deltas: halves("text").map((text) => ({ type: "text_delta", text })),
      };
    case "thinking":
      return {
        started: { ...block, thinking: "", signature: "" },
        deltas: [
          ...halves("thinking").map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block["signature"] },
        ],
      };
    case "tool_use": {
      const json = JSON.stringify(block["input"]);
      return {
        started: { ...block, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: json }],
      };
    }
    case "compaction": {
      const { type, ...fields } = block;
      return { started: { type, content: null }, deltas: [{ ...fields, type: "compaction_delta" }] };
    }
    default:
      return { started: block, deltas: [] };
  }
}
