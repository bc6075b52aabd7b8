import type { BaseMessage } from "@langchain/core/messages";

/** A message before it has an id: histories are put together of drafts, so that ids follow the final order. */
export interface Draft {
  readonly kind: "system" | "human" | "ai" | "result" | "foreign";
  readonly build: (id: string | undefined) => BaseMessage;
}

/** Returns an id as a constructor wants it: left out where there is none. */
export function idField(id: string | undefined): { id?: string } {
  return id === undefined ? {} : { id };
}
