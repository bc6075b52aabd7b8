import { clip } from "./format.js";

/** Returns what the model says and does in one line: its first sentence, and its calls, each name once. Pure. */
export function replyLine(text: string, tools: readonly string[]): string {
  const said = clip(
    (text.split("\n")[0] ?? "").replace(/^Now: /, () => ""),
    90,
  );
  const names = [...new Set(tools)].map((name) => {
    const count = tools.filter((each) => each === name).length;
    return count === 1 ? name : `${count} × ${name}`;
  });
  return names.length === 0 ? said : `${said} → ${names.join(", ")}`;
}
