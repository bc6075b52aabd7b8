import { type Known } from "./ledger.js";
import { entryOf } from "./manifest.js";
import { readMatches } from "./read-result.js";
import { type Finding } from "./finding.js";
import { type Call, type Thread, argument, lastTurn } from "./thread.js";

/** The ledger's bookmark: where the value starts that tells the entry point, as `path:line`. */
export const entryBookmark = "entry at";
const pattern = String.raw`^\s*"(?:version|license|module|main|exports|\.)":`;

/**
 * Returns what the lines of a manifest with a file of its own tell that hold its top-level keys, or the search for them.
 * A manifest that was too large for the context is searched, not read.
 */
export function searchLargeManifest(thread: Thread, path: string): Finding {
  const call: Call = { name: "grep", args: { pattern, path, regex: true } };
  const answer = lastTurn(thread).exchanges.find(
    (each) => argument(each, "pattern") === pattern && argument(each, "path") === path,
  );
  if (answer === undefined) return { known: {}, calls: [call] };
  const members = readMatches(answer).map(({ line, text }) => ({ line, ...memberIn(text) }));
  const indent = Math.min(...members.filter((each) => each.key === "version").map((each) => each.indent));
  const top = new Map(members.filter((each) => each.indent === indent).map((each) => [each.key, each]));
  const dot = members.find((each) => each.key === "." && each.indent > indent);
  return { known: { ...identity(top), ...entry(path, top, dot) }, calls: [] };
}

interface Member {
  readonly line: number;
  readonly key: string;
  readonly indent: number;
  /** The value when it is a string on the same line. */
  readonly value: string | undefined;
}

function memberIn(text: string): Omit<Member, "line"> {
  const [, space = "", key = "", value] = /^(\s*)"(.*?)":\s*(?:"(.*)",?\s*$)?/.exec(text) ?? [];
  return { key, indent: space.length, value };
}

function identity(top: ReadonlyMap<string, Member>): Known {
  const licence = top.has("license") ? top.get("license")?.value : "none";
  const version = top.get("version")?.value;
  return { ...(licence === undefined ? {} : { licence }), ...(version === undefined ? {} : { version }) };
}

/** The entry point where a line states it, else the place to read it at. */
function entry(path: string, top: ReadonlyMap<string, Member>, dot: Member | undefined): Known {
  const exports = dot ?? top.get("exports");
  if (exports === undefined)
    return { entry: entryOf({ module: top.get("module")?.value, main: top.get("main")?.value }) };
  if (exports.value !== undefined) return { entry: exports.value };
  return { [entryBookmark]: `${path}:${exports.line}` };
}
