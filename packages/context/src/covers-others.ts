import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "./fold.js";

/** True for a stand-in that is a message of its own, in place of those that it covers. */
export function coversOthers(message: BaseMessage): boolean {
  const fold = foldOf(message);
  if (fold === undefined) return false;
  const covers = fold.covers.length > 0 && !fold.covers.includes(message.id ?? "");
  return covers || fold.kind === "summary" || fold.kind === "trim";
}
