import { ContextError } from "@palimpsest/context";
import type { z } from "zod";
import { exampleCall, schemaOf, type AcceptingFunction } from "./accepted-options.js";
import { limitNames, shownValue } from "./fields.js";
import { nearestName } from "./nearest-name.js";

/**
 * Refuses options that a function cannot take: unknown names, values of another type, unknown strings.
 *
 * Called once, when a node, condition, tool or middleware is built. Ranges and combinations of options are checked later, where
 * their defaults are known.
 * @throws ContextError `bad-option`, naming the value and the way out.
 */
export function requireOptions(given: unknown, name: AcceptingFunction): void {
  const isFilesystem = typeof (given as { thread?: unknown } | null | undefined)?.thread === "function";
  if (typeof given !== "object" || given === null || Array.isArray(given) || isFilesystem) {
    const way = `pass an object, as in ${exampleCall(name)}`;
    throw new ContextError("bad-option", `The options of ${name} are ${shownValue(given)}: ${way}`);
  }
  if (isState(given)) {
    const way = `give the graph what it returns, as in ${exampleCall(name)}`;
    throw new ContextError("bad-option", `${name} was called with the state of a graph: ${way}`);
  }
  const schema = schemaOf(name);
  const issue = schema.safeParse(given).error?.issues[0];
  if (issue !== undefined) throw new ContextError("bad-option", described(issue, { name, schema, given }));
}

/** True for what a graph passes to a node, where somebody gave the graph the function itself. */
function isState(given: object): boolean {
  return Array.isArray((given as { messages?: unknown }).messages);
}

interface Refused {
  readonly name: AcceptingFunction;
  readonly schema: z.ZodObject;
  readonly given: object;
}

function described(issue: z.core.$ZodIssue, { name, schema, given }: Refused): string {
  const path = pathOf(issue.path);
  if (issue.code !== "unrecognized_keys")
    return `${path} is ${shownValue(valueAt(given, issue.path))}: ${issue.message}`;
  const [unknown = ""] = issue.keys;
  if (path !== "") return `${path}.${unknown} is not an option: ${wayOut(unknown, namesIn(path))}`;
  return `${unknown} is not an option of ${name}: ${wayOut(unknown, Object.keys(schema.shape))}`;
}

function wayOut(unknown: string, names: readonly string[]): string {
  const nearest = nearestName(unknown, names);
  return nearest === undefined ? `it takes ${names.join(", ")}` : `did you mean ${nearest}?`;
}

/** Returns the names that the object at a path may have. */
function namesIn(path: string): readonly string[] {
  if (path === "limits") return limitNames;
  const units = ["fraction", "tokens", "messages"];
  return /^keep(\[|$)/.test(path) ? [...units, "turns"] : units;
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    return text === "" ? String(key) : `${text}.${String(key)}`;
  }, "");
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (owner, key) => (owner as Record<PropertyKey, unknown> | null | undefined)?.[key],
    value,
  );
}
