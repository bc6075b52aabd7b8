/** Returns how many lines a text has; a trailing newline ends the last one. */
export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** Returns what kind of text this is, from its first and last characters: cheap at any size. */
export function textKind(text: string): "JSON" | "HTML" | "XML" | "text" {
  const head = text.slice(0, 200).trimStart();
  const tail = text.slice(-200).trimEnd();
  if (head.startsWith("{") && tail.endsWith("}")) return "JSON";
  if (head.startsWith("[") && tail.endsWith("]")) return "JSON";
  if (/^(<!doctype html|<html)/i.test(head)) return "HTML";
  return head.startsWith("<?xml") ? "XML" : "text";
}
