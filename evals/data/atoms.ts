import type { BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";

export type AtomKind = "url" | "path" | "name" | "number" | "line";

/** A string in a call's arguments that the agent may have had to read somewhere. */
export interface Atom {
  readonly kind: AtomKind;
  readonly text: string;
}

/** Arguments that the agent invents. */
const newText = new Set(["new_string", "newText", "new_str", "content", "file_text"]);
/** Arguments that repeat lines of a file. */
const oldText = new Set(["old_string", "oldText", "old_str"]);
const lineLength = { least: 20, most: 160 };

const url = /https?:\/\/[^\s"'<>()\]`]+/g;
const path = /(?:[\w@.~-]+)?(?:\/[\w@.-]*\w)+/g;
const name = /[A-Za-z_$][\w$]{5,}/g;
const isCodeLike = /[a-z][A-Z]|[_$\d]/;
const numbers = [/\b\d[\d,.:-]{2,}\d\b/g, /\b[A-Z]{2,}\d{2,}\b/g, /\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b/g];

/** Returns the atoms of all calls of a message, each once. Pure. */
export function atomsOf(message: BaseMessage): readonly Atom[] {
  const found = new Map<string, Atom>();
  const add = (kind: AtomKind, text: string) => found.set(`${kind} ${text}`, { kind, text });
  for (const { args } of toolCalls(message)) walk(args, "", add);
  return [...found.values()];
}

type Add = (kind: AtomKind, text: string) => void;

function walk(value: unknown, key: string, add: Add): void {
  if (typeof value === "string") return walkText(value, key, add);
  if (typeof value === "number") return scan(String(value), add);
  if (Array.isArray(value)) return value.forEach((one) => walk(one, key, add));
  if (typeof value !== "object" || value === null) return;
  for (const [inner, one] of Object.entries(value)) walk(one, inner, add);
}

function walkText(text: string, key: string, add: Add): void {
  if (newText.has(key)) return;
  if (!oldText.has(key)) return scan(text, add);
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line.length >= lineLength.least) add("line", line.slice(0, lineLength.most));
  }
}

function scan(text: string, add: Add): void {
  for (const [found] of text.matchAll(url)) add("url", found);
  for (const [found] of text.replaceAll(url, " ").matchAll(path)) if (found.length > 2) add("path", found);
  for (const [found] of text.matchAll(name)) if (isCodeLike.test(found)) add("name", found);
  for (const one of numbers) for (const [found] of text.matchAll(one)) add("number", found);
}
