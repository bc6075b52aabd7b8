import { escapeRegex } from "./escape-regex.js";

/** Returns an error of a mounted backend with the path as the whole tree knows it; in front when it names none. Pure. */
export function mountError(error: string, inner: string, outer: string): string {
  if (inner === outer) return error;
  const named = new RegExp(`(?<=^|[\\s'"\`(])${escapeRegex(inner)}(?=[.!?]?(?:$|[\\s'"\`),:;]))`, "g");
  const replaced = error.replace(named, () => outer);
  return replaced !== error || error.includes(outer) ? replaced : `${outer}: ${error}`;
}
