import type { BaseMessage } from "@langchain/core/messages";
import { messageText } from "./text.js";
import { toolCalls } from "./tool-calls.js";

/** The source of a line. `old` and `new` are the two sides of an edit; `argument` is any other argument of a call. */
export type LineRole = "user" | "prose" | "result" | "argument" | "old" | "new";

/** A line of a message as an excerpt shows it. */
export interface MessageLine {
  readonly text: string;
  readonly role: LineRole;
  /** The line continues the previous one, which was split: an excerpt puts no newline between them. */
  readonly continues: boolean;
}

const oldKeys = new Set(["old_string", "oldText", "old_str"]);
const newKeys = new Set(["new_string", "newText", "new_str", "content", "file_text", "new_source"]);
/** Characters; a longer line is split. */
const longLine = 400;
/** Maximum characters of each piece but the last. */
const pieceLength = 300;

/**
 * Returns the lines of a message as a model reads them: its text, then each call with its arguments. Pure.
 *
 * Newlines and quotes in arguments are not escaped, so that a line of code in an edit equals the line in the file.
 */
export function messageLines(message: BaseMessage): readonly MessageLine[] {
  const role = textRole(message);
  const text = messageText(message);
  const lines: MessageLine[] =
    text === "" ? [] : text.split("\n").map((line) => ({ text: line, role, continues: false }));
  for (const { name, args } of toolCalls(message)) lines.push(...callLines(name, args));
  return lines.flatMap(cutLong);
}

function textRole(message: BaseMessage): LineRole {
  const type = message.getType();
  if (type === "tool" || type === "function") return "result";
  return type === "human" ? "user" : "prose";
}

function callLines(name: string, args: Readonly<Record<string, unknown>>): readonly MessageLine[] {
  const lines: MessageLine[] = [];
  let open = `${name} `;
  let continues = false;
  for (const { text, role } of argumentPieces(args, "")) {
    if (role === "argument") {
      open += text;
      continue;
    }
    // Put each side of an edit on separate lines, so that the JSON around it does not count as text of the file.
    lines.push(...pieceLines(open, "argument", continues), ...pieceLines(text, role, true));
    open = "";
    continues = true;
  }
  return [...lines, ...pieceLines(open, "argument", continues)];
}

function pieceLines(text: string, role: LineRole, continues: boolean): readonly MessageLine[] {
  return text.split("\n").map((line, index) => ({ text: line, role, continues: continues && index === 0 }));
}

interface ArgumentPiece {
  readonly text: string;
  readonly role: LineRole;
}

function argumentPieces(value: unknown, key: string): readonly ArgumentPiece[] {
  if (typeof value === "string") {
    const role = oldKeys.has(key) ? "old" : newKeys.has(key) ? "new" : "argument";
    return [mark('"'), { text: unescaped(JSON.stringify(value).slice(1, -1)), role }, mark('"')];
  }
  if (Array.isArray(value)) {
    return [mark("["), ...separated(value.map((item: unknown) => argumentPieces(item, key))), mark("]")];
  }
  if (typeof value !== "object" || value === null) return [mark(JSON.stringify(value) ?? "null")];
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const fields = entries.map(([name, item]) => [
    mark(`${JSON.stringify(name)}:`),
    ...argumentPieces(item, name),
  ]);
  return [mark("{"), ...separated(fields), mark("}")];
}

function separated(groups: readonly (readonly ArgumentPiece[])[]): readonly ArgumentPiece[] {
  return groups.flatMap((group, index) => (index === 0 ? group : [mark(","), ...group]));
}

function mark(text: string): ArgumentPiece {
  return { text, role: "argument" };
}

function unescaped(json: string): string {
  return json.replaceAll("\\n", "\n").replaceAll('\\"', '"');
}

function cutLong(line: MessageLine): readonly MessageLine[] {
  if (line.text.length <= longLine) return [line];
  return linePieces(line.text).map((text, at) => ({ ...line, text, continues: at > 0 || line.continues }));
}

/** Splits a long line into pieces, at separators where possible, so that atoms stay whole. Pure. */
export function linePieces(line: string): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < line.length;) {
    const end = pieceEnd(line, at);
    pieces.push(line.slice(at, end));
    at = end;
  }
  return pieces;
}

function pieceEnd(text: string, start: number): number {
  if (text.length - start <= longLine) return text.length;
  for (let end = start + pieceLength; end > start + pieceLength / 2; end--) {
    if (` ,;"'`.includes(text.charAt(end - 1))) return end;
  }
  const end = start + pieceLength;
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end;
}
