import type { BaseMessage } from "@langchain/core/messages";
import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import { messageText } from "../messages/text.js";
import { isAi, toolCalls } from "../messages/tool-calls.js";
import type { FoldTarget } from "./resolve-target.js";

/** What the model asks for: a summary of the interaction it has just seen, or one in place of several blocks. */
export interface FoldDirective {
  /** Undefined for the latest interaction alone. */
  readonly target?: FoldTarget;
  readonly summary: string;
}

/** A directive, or why a text is none, in words for the model. */
export type ParsedDirective = { readonly directive: FoldDirective } | { readonly refusal: string };

/** Characters of a directive that are looked at. */
const longest = 100_000;
/** Characters of a broken one: the time that a repair takes grows with their square. */
const longestRepaired = 20_000;

const step = z.coerce.number().int().min(1);
/** `3`, `"3"` and `"S3"`. */
const id = z.preprocess(
  (value) => (typeof value === "string" ? value.replace(/^S/i, () => "") : value),
  step,
);
const summary = z
  .string()
  .transform((text) => text.replaceAll(/\s+/g, " ").trim())
  .pipe(z.string().min(1));
const range = z.union([
  z.tuple([step, step]).transform(([from, to]) => ({ from, to })),
  z.tuple([step]).transform(([from]) => ({ from })),
]);
const ids = z.array(id).min(1);

/** The paper's form, and that of the `fold_context` tool, which may name ids in place of steps or neither. */
const plain = z
  .object({ range: range.nullish(), ids: ids.nullish(), summary })
  .refine((fold) => !(fold.range && fold.ids), "give range or ids, not both")
  .transform((fold) => directiveOf(fold.range ?? undefined, fold.ids ?? undefined, fold.summary));
const granular = z.object({ type: z.literal("granular_condensation"), summary_text: summary });
const deep = z.object({
  type: z.literal("deep_consolidation"),
  target: z.union([z.object({ ids }), z.object({ range })]),
  summary_text: summary,
});
const production = z.object({
  fold: z.union([
    granular.transform((fold): FoldDirective => ({ summary: fold.summary_text })),
    deep.transform(({ target, summary_text: text }): FoldDirective => ({
      target: "ids" in target ? target : target.range,
      summary: text,
    })),
  ]),
});

function directiveOf(
  steps: FoldTarget | undefined,
  blocks: number[] | undefined,
  text: string,
): FoldDirective {
  if (blocks !== undefined) return { target: { ids: blocks }, summary: text };
  return steps === undefined ? { summary: text } : { target: steps, summary: text };
}

const usage =
  'Write {"range":[first step,last step],"summary":"…"}, or ' +
  '{"fold":{"type":"deep_consolidation","target":{"ids":[…]},"summary_text":"…"}}.';

/**
 * Returns the directive that a text holds, in the paper's form or in the production form.
 *
 * Pure, never throws. Tolerates code fences, trailing commas, single quotes, comments, missing brackets and text around
 * the object; the values themselves are checked strictly.
 */
export function parseDirective(text: string): ParsedDirective {
  const start = text.indexOf("{");
  if (start < 0 || text.length > longest)
    return { refusal: `The fold directive is no JSON object. ${usage}` };
  const end = text.lastIndexOf("}") + 1;
  const value = jsonOf(end > start ? text.slice(start, end) : text.slice(start));
  return value === undefined ? { refusal: `The fold directive is no JSON. ${usage}` } : checkDirective(value);
}

/** Returns the directive that a value holds, such as the arguments of a `fold_context` call. Pure, never throws. */
export function checkDirective(value: unknown): ParsedDirective {
  const named = typeof value === "object" && value !== null && "fold" in value;
  const schema = named ? production : plain;
  const parsed = schema.safeParse(value);
  if (parsed.success) return { directive: "fold" in parsed.data ? parsed.data.fold : parsed.data };
  return { refusal: `The fold directive has the wrong form. ${usage}` };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Fall through: the repair below is slower and would change nothing of a valid text.
  }
  if (text.length > longestRepaired) return undefined;
  try {
    return JSON.parse(jsonrepair(text));
  } catch {
    return undefined;
  }
}

/** Name of the tool by which the model asks for a fold. */
export const foldContextName = "fold_context";

/** A directive and how it came. Who called the tool is answered by the tool. */
export type GivenDirective = ParsedDirective & { readonly by: "tool" | "text" };

/**
 * Returns what one of the model's messages says about folding, or undefined when it says nothing. Pure, never throws.
 *
 * A `fold_context` call goes before a `<context>` in the text; of several calls the first valid one counts.
 */
export function directiveIn(message: BaseMessage | undefined): GivenDirective | undefined {
  if (message === undefined || !isAi(message)) return undefined;
  const calls = toolCalls(message).filter(({ name }) => name === foldContextName);
  const called = calls.map(({ args }) => checkDirective(args));
  const best = called.find((one) => "directive" in one) ?? called[0];
  if (best !== undefined) return { ...best, by: "tool" };
  const tag = contextTag(messageText(message));
  return tag === undefined ? undefined : { ...parseDirective(tag), by: "text" };
}

const context = /<context>([\s\S]*?)(?:<\/context>|$)/gi;
const goal = /<goal>([\s\S]*?)(?:<\/goal>|$)/gi;

/** Returns what stands in the last `<context>` of a text, also in one that was never closed. */
export function contextTag(text: string): string | undefined {
  return [...text.matchAll(context)].at(-1)?.[1];
}

/** Returns what stands in the last `<goal>` of a text, on one line; undefined for none or an empty one. */
export function goalTag(text: string): string | undefined {
  const found = [...text.matchAll(goal)].at(-1)?.[1]?.replaceAll(/\s+/g, " ").trim();
  return found === "" ? undefined : found;
}

/** Returns a text without its directives. */
export function withoutDirectives(text: string): string {
  return text.replaceAll(context, () => "").replaceAll(goal, () => "");
}
