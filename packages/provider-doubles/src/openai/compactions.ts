import { canonicalJson, digest } from "../prefix-binding.js";
import type { Item, ResponsesRequest } from "./items.js";

/** Returns what stands for all content before a compaction item. */
export function chainOf(item: Item): string {
  return digest(String(item["encrypted_content"]));
}

/** Returns the compaction item of a request above its threshold. */
export function compactionOf(request: ResponsesRequest, tokens: number): Item | undefined {
  const edit = request.context_management?.find(({ type }) => type === "compaction");
  if (edit === undefined || tokens <= (edit.compact_threshold ?? Infinity)) return undefined;
  return compaction(request);
}

/** Returns the opaque item that stands for the input of a request. */
export function compaction(request: ResponsesRequest): Item {
  const id = digest(canonicalJson(request.input)).slice(0, 12);
  return { id: `cmp_${id}`, type: "compaction", encrypted_content: `compacted-${id}` };
}
