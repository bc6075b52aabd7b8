import { once } from "@palimpsest/context/internal";
import { isLaneName } from "@palimpsest/vfs/internal";
import { z } from "zod";
import type { ContextLimits } from "./context-limits.js";

/** Makes the schema of an option on first use. */
export type Field = () => z.ZodType;

/** Returns a value as short text for an error message. Never throws. */
export function shownValue(value: unknown): string {
  if (typeof value === "string")
    return value.length > 80 ? `a text of ${value.length} characters` : JSON.stringify(value);
  if (typeof value === "function") return value.name === "" ? "a function" : `the function ${value.name}`;
  if (typeof value !== "object" || value === null) return String(value);
  const className = Array.isArray(value) ? "" : (value.constructor?.name ?? "");
  if (className !== "" && className !== "Object") return `a ${className}`;
  const text = JSON.stringify(value) ?? "";
  return text.length <= 80 ? text : Array.isArray(value) ? `a list of ${value.length}` : "an object";
}

/** A value that `is` accepts; `way` tells the caller what to pass. */
function field(is: (value: unknown) => boolean, way: string | ((value: unknown) => string)): Field {
  const error = typeof way === "string" ? way : ({ input }: { readonly input?: unknown }) => way(input);
  return once(() => z.custom<unknown>((value) => value === undefined || is(value), { error }).optional());
}

function has(value: unknown, method: string): boolean {
  const owner = value as Readonly<Record<string, unknown>> | null | undefined;
  return typeof owner?.[method] === "function";
}

function isModel(value: unknown): boolean {
  return has(value, "invoke");
}

function isPlanner(value: unknown): boolean {
  const { prices, cache } = (value ?? {}) as { readonly prices?: unknown; readonly cache?: unknown };
  if (cache !== undefined && cache !== "typical") return false;
  return prices === undefined ? cache !== undefined : typeof prices === "object";
}

function wayToModel(value: unknown): string {
  if (value instanceof Promise) return "await it";
  return typeof value === "string"
    ? `pass the chat model itself, such as await initChatModel(${JSON.stringify(value)})`
    : "pass a chat model of LangChain, such as new ChatOpenAI({ model })";
}

/** The fields of options. Ranges of numbers are checked where the defaults are known. */
export const fields = {
  number: field((value) => typeof value === "number", "use a number"),
  text: field((value) => typeof value === "string", "use a string"),
  key: field(
    (value) => typeof value === "string" && value !== "",
    'use the name of a state key, such as "messages"',
  ),
  flag: field((value) => typeof value === "boolean", "use true or false"),
  names: field(
    (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
    (value) => `use a list of strings${typeof value === "string" ? `: [${JSON.stringify(value)}]` : ""}`,
  ),
  list: field(Array.isArray, "use a list"),
  object: field((value) => typeof value === "object" && value !== null, "use an object"),
  anything: once(() => z.unknown().optional()),
  model: field(isModel, wayToModel),
  summaryModel: field((value) => value === "none" || value === "native" || isModel(value), wayToModel),
  planner: field(
    isPlanner,
    'use an object with what a token costs: { prices: { input, cachedInput, output } }, or { cache: "typical" }',
  ),
  scope: once(() =>
    z.custom<unknown>((value) => typeof value === "function", {
      error: "pass a function that returns what the host knows of the user: (config) => string, or undefined",
    }),
  ),
  memory: once(() =>
    z.custom<unknown>((value) => has(value, "opening") && has(value, "record"), {
      error: "pass a ScopeMemory: new ScopeMemory({ files, scope })",
    }),
  ),
} as const;

/** A number of steps, or a share of the context's limit. */
export const intervalField = field(
  (value) => typeof value === "number" || z.strictObject({ share: z.number() }).safeParse(value).success,
  "use a number of steps, or { share }, such as { share: 0.1 }",
);

/** The lane of an agent. */
export const laneField = once(() =>
  z
    .strictObject(
      {
        name: z.custom<unknown>(isLaneName, { error: "use a name of 1 to 40 letters, digits, _ and -" }),
        share: z.enum(["none", "summary", "all"], { error: 'use "none", "summary" or "all"' }),
      },
      { error: 'use a name and what others may read, such as { name: "researcher", share: "summary" }' },
    )
    .optional(),
);

/** One of several strings. */
export function oneOf(...allowed: readonly string[]) {
  return field(
    (value) => allowed.includes(value as string),
    `use ${allowed.map((one) => JSON.stringify(one)).join(" or ")}`,
  );
}

/** A function; `signature` shows how it is called. */
export function callback(signature: string) {
  return field((value) => typeof value === "function", `pass a function: ${signature}`);
}

const files = 'pass a VirtualFilesystem, such as VirtualFilesystem.fromDirectory(".agent")';

/** The filesystem, which nearly every function needs. */
export const filesField = once(() =>
  z.custom<unknown>((value) => has(value, "thread") && has(value, "archive"), {
    error({ input: value }) {
      if (value instanceof Promise) return "await what it comes from";
      if (has((value as { files?: unknown } | null | undefined)?.files, "thread"))
        return "pass its files, saver.files";
      if (has(value, "write") && has(value, "stat")) return "pass new VirtualFilesystem({ driver })";
      return files;
    },
  }),
);

/** The index that `search_history` needs. */
export const indexField = once(() =>
  z.custom<unknown>((value) => has(value, "search") && has(value, "addFile"), {
    error: ({ input: value }) =>
      value instanceof Promise
        ? "await it"
        : 'pass a RecallIndex, such as RecallIndex.fromPath("agent.recall.db")',
  }),
);

/** `trigger`, `agentTrigger` and `keep`: limits by their unit, or a list of them. */
export function sizes(...units: readonly string[]): Field {
  return once(() => sizesOf(units));
}

function sizesOf(units: readonly string[]) {
  const one = z.strictObject(Object.fromEntries(units.map((unit) => [unit, fields.number()])), {
    error: "use an object with a unit, such as { tokens: 10_000 } or { messages: 20 }",
  });
  const each = z.unknown().superRefine((value, context) => {
    if (value === undefined) return;
    const isList = Array.isArray(value);
    for (const [index, item] of (isList ? value : [value]).entries()) {
      for (const issue of one.safeParse(item).error?.issues ?? [])
        context.addIssue({ ...issue, path: isList ? [index, ...issue.path] : issue.path });
    }
  });
  return each.optional();
}

const limitFields = {
  offload: fields.number,
  batch: fields.number,
  input: fields.number,
  previewLines: fields.number,
  userMessages: fields.number,
  userLines: fields.number,
  summary: fields.number,
  summaryInput: fields.number,
  summaryMs: fields.number,
  excerpts: fields.number,
  verbatim: fields.number,
  pinnedFiles: fields.number,
} as const satisfies Required<Record<keyof ContextLimits, Field>>;

/** The names of all limits. */
export const limitNames = Object.keys(limitFields) as readonly (keyof ContextLimits)[];

/** `limits`: the limits with these names. */
export function limits(...names: readonly (keyof ContextLimits)[]): Field {
  const known = names.length === 0 ? limitNames : names;
  return once(() =>
    z
      .strictObject(Object.fromEntries(known.map((name) => [name, limitFields[name]()])), {
        error: "use an object with sizes, such as { offload: 5_000 }",
      })
      .optional(),
  );
}
