import { toStoredMessage } from "@palimpsest/context";
import type { FuzzCase } from "./fuzz-case.js";

/** Returns a case as text from which a test can be written: the messages as they are stored, and the steps. */
export function describeCase({ thread, steps, ...rest }: FuzzCase): string {
  return [
    JSON.stringify(rest),
    ...thread.map((message, index) => `${index}: ${JSON.stringify(toStoredMessage(message))}`),
    ...steps.map(({ more, operation }) => `+${more} messages, then ${operation.name}`),
  ].join("\n");
}
