import type { ServerEvent } from "../http-server.js";
import type { Item } from "./items.js";

export interface ResponseBody {
  readonly id: string;
  readonly status: string;
  readonly output: readonly Item[];
  readonly [field: string]: unknown;
}

/** Returns a response as the events of a stream, texts and arguments in two deltas. */
export function responseStream(response: ResponseBody): readonly ServerEvent[] {
  const events: { type: string; fields: object }[] = [
    { type: "response.created", fields: { response: { ...response, status: "in_progress", output: [] } } },
    ...response.output.flatMap((item, output_index) => itemEvents(item, output_index)),
    { type: `response.${response.status}`, fields: { response } },
  ];
  return events.map(({ type, fields }, sequence_number) => ({
    event: type,
    data: { type, sequence_number, ...fields },
  }));
}

function itemEvents(item: Item, output_index: number): readonly { type: string; fields: object }[] {
  const place = { output_index, item_id: item["id"] };
  return [
    { type: "response.output_item.added", fields: { output_index, item: started(item) } },
    ...deltas(item).map(({ type, ...fields }) => ({ type, fields: { ...place, ...fields } })),
    { type: "response.output_item.done", fields: { output_index, item } },
  ];
}

function started(item: Item): Item {
  if (item.type === "message") return { ...item, content: [] };
  if (item.type === "function_call") return { ...item, arguments: "" };
  if (item.type !== "reasoning") return item;
  const { encrypted_content: _, ...rest } = item;
  return { ...rest, summary: [] };
}

function deltas(item: Item): readonly { type: string; [field: string]: unknown }[] {
  if (item.type === "message") {
    const [part] = item["content"] as readonly { text: string }[];
    return halves(part?.text ?? "").map((delta) => ({
      type: "response.output_text.delta",
      content_index: 0,
      delta,
    }));
  }
  if (item.type === "function_call") {
    return halves(String(item["arguments"])).map((delta) => ({
      type: "response.function_call_arguments.delta",
      delta,
    }));
  }
  if (item.type !== "reasoning") return [];
  const [summary] = item["summary"] as readonly { text: string }[];
  return [
    {
      type: "response.reasoning_summary_part.added",
      summary_index: 0,
      part: { type: "summary_text", text: "" },
    },
    ...halves(summary?.text ?? "").map((delta) => ({
      type: "response.reasoning_summary_text.delta",
      summary_index: 0,
      delta,
    })),
  ];
}

function halves(text: string): readonly string[] {
  return [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];
}
