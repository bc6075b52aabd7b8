import type { BaseMessage } from "@langchain/core/messages";
import { lineAtoms } from "../selection/line-atoms.js";
import { toolCalls } from "../tool-calls.js";

/** Arguments that hold text which the agent makes up, or repeats to change it: it is no name of anything. */
const texts = new Set(
  "content file_text new_string newText new_str new_source old_string oldText old_str".split(" "),
);
/** The agent's list of tasks is carried as it is. */
const lists = new Set(["todos", "plan", "tasks"]);
/** An argument that is one word, and not a plain one, is a name as a whole. */
const oneWord = /^(?=.*[\d_./:@#-])\S{3,120}$/;
/** Digits from which on a number is worth remembering. */
const longNumber = /\d{4,}/;

/** Returns the strings by which the calls of a message name things: ids, paths, URLs, numbers. Pure, never throws. */
export function callAtoms(message: BaseMessage): readonly string[] {
  return toolCalls(message).flatMap(({ args }) => atomsOf(args, 0));
}

function atomsOf(value: unknown, depth: number): readonly string[] {
  if (depth > 6) return [];
  if (typeof value === "number") return longNumber.test(String(value)) ? [String(value)] : [];
  if (typeof value === "string") {
    const lines = value.split("\n").slice(0, 50).flatMap(lineAtoms);
    return oneWord.test(value) ? [value, ...lines] : lines;
  }
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.slice(0, 50).flatMap((item: unknown) => atomsOf(item, depth + 1));
  return Object.entries(value).flatMap(([key, item]) =>
    texts.has(key) || lists.has(key) ? [] : atomsOf(item, depth + 1),
  );
}
