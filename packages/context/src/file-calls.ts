import type { CallInfo } from "./tool-calls.js";

const pathKeys = ["path", "file_path", "filePath", "file", "filename", "notebook_path"] as const;

/** Returns the file that a call names in its arguments, or undefined. */
export function filePathOf({ args }: CallInfo): string | undefined {
  const values = pathKeys.map((key) => args[key]);
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

/** True for a call that changes the file it names, by the words of the tool's name. */
export function isFileWrite({ name }: CallInfo): boolean {
  return words(name).some((word) => writeWords.has(word));
}

/** True for a call that returns what a file holds, by the words of the tool's name. */
export function isFileRead(call: CallInfo): boolean {
  return !isFileWrite(call) && words(call.name).some((word) => readWords.has(word));
}

const writeWords = new Set([
  "write",
  "edit",
  "create",
  "replace",
  "patch",
  "append",
  "insert",
  "delete",
  "update",
]);
const readWords = new Set(["read", "view", "cat", "open", "show"]);

function words(name: string): string[] {
  return name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
}
