import type { IncomingMessage } from "node:http";
import { planFork, writeFork, type ForkPlace } from "../acting/act-on-fork.js";
import { InspectorError } from "../inspector-error.js";
import type { ForkRequest } from "../view.js";

/** The POST requests of an inspector that may act, by the name after `/api/`. */
export const actRoutes: Readonly<
  Record<string, (place: ForkPlace, request: ForkRequest) => Promise<unknown>>
> = {
  plan: planFork,
  fork: writeFork,
};

/** Bytes of a request. */
const maxBytes = 65_536;

/** Reads the body of a request. Throws an InspectorError unless it is a valid fork. */
export async function readForkRequest(request: IncomingMessage): Promise<ForkRequest> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw new InspectorError(`The request is longer than ${maxBytes} bytes.`);
    parts.push(part);
  }
  const fields = parsed(Buffer.concat(parts).toString());
  const text = (name: string): string => {
    const value = fields[name];
    if (typeof value === "string" && value !== "") return value;
    throw new InspectorError(`The request has no ${name}.`);
  };
  const step = { thread: text("thread"), at: text("at") };
  const action = text("action");
  if (action === "resume") return { ...step, action };
  if (action === "unfold") return { ...step, action, fold: text("fold") };
  if (action === "compact" || action === "pin") return { ...step, action, message: text("message") };
  throw new InspectorError(`The action is ${action}. It is one of resume, unfold, compact and pin.`);
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Refused below, because it is not an object.
  }
  throw new InspectorError("The request is not a JSON object.");
}
