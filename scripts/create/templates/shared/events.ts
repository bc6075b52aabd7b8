// Counts what Palimpsest reports. Send the events to your logs instead.
import type { ContextEvent } from "@palimpsest/langgraph";

/** Event type -> how often it was sent. */
export const events = new Map<string, number>();

export function onEvent({ type }: ContextEvent): void {
  events.set(type, (events.get(type) ?? 0) + 1);
}
