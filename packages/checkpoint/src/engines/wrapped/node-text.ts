import { isTagged, tag } from "../../codec/node.js";
import type { Node } from "../../codec/node.js";

const valueMark = "pmps1:";
const writeMark = "pmps1w:";

/** A task's write as it is stored in a saver that keeps no task paths. */
export interface WriteText {
  readonly taskPath: string;
  readonly value: Node;
}

/** Returns a node as text, which every serializer gives back as it was. Pure. */
export function toText(node: Node): string {
  return valueMark + JSON.stringify(node);
}

/** Returns the node of a text. What another saver stored, before it was wrapped, becomes a node that holds it as it is. Pure. */
export function fromText(stored: unknown): Node {
  if (typeof stored === "string" && stored.startsWith(valueMark))
    return JSON.parse(stored.slice(valueMark.length));
  return { [tag]: "V", v: stored as Node };
}

/** Returns a write as text, the path of its task before it. Pure. */
export function toWriteText({ taskPath, value }: WriteText): string {
  return writeMark + JSON.stringify([taskPath, value]);
}

/** Returns what `toWriteText` was given; a write of before the saver was wrapped has no path. Pure. */
export function fromWriteText(stored: unknown): WriteText {
  if (typeof stored !== "string" || !stored.startsWith(writeMark))
    return { taskPath: "", value: fromText(stored) };
  const [taskPath, value]: [string, Node] = JSON.parse(stored.slice(writeMark.length));
  return { taskPath, value };
}

/** Returns true for a value that was stored before the saver was wrapped. Pure. */
export function isForeign(node: Node): boolean {
  return isTagged(node) && node[tag] === "V";
}
