import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import type { FoldTarget } from "./resolve-target.js";

/** What the model asks for: a summary of the interaction it has just seen, or one in place of several blocks. */
export interface FoldDirective {
  /** Undefined for the latest interaction alone. */
  readonly target?: FoldTarget;
  readonly summary: string;
}

/** A directive, why a text is none (in words for the model), or that it rightly asks for no fold. */
export type ParsedDirective =
  | { readonly directive: FoldDirective }
  | { readonly refusal: string }
  | { readonly none: true };

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
    plain,
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
  const value = objectIn(text);
  return value === undefined
    ? { refusal: `The fold directive is no JSON object. ${usage}` }
    : checkDirective(value);
}

/**
 * Returns the directive that a value holds, such as the arguments of a `fold_context` call. Pure, never throws.
 *
 * The published protocol has two keys, `fold` and `latest`. The latest interaction is read from the messages, so `latest`
 * is accepted and has no effect; without a `fold`, or with `"fold": null`, nothing is asked for.
 */
export function checkDirective(value: unknown): ParsedDirective {
  const fields = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const isNamed = fields["fold"] !== undefined && fields["fold"] !== null;
  const isPlain = ["range", "ids", "summary"].some((field) => field in fields);
  if (!isNamed && !isPlain && ("fold" in fields || "latest" in fields)) return { none: true };
  const schema = isNamed ? production : plain;
  const parsed = schema.safeParse(value);
  if (parsed.success) return { directive: "fold" in parsed.data ? parsed.data.fold : parsed.data };
  return { refusal: `The fold directive has the wrong form. ${usage}` };
}

/** Returns the object that a text holds, repaired where it is broken; undefined for none. Never throws. */
export function objectIn(text: string): unknown {
  const [start, end] = [text.indexOf("{"), text.lastIndexOf("}") + 1];
  return start < 0 || text.length > longest
    ? undefined
    : jsonOf(end > start ? text.slice(start, end) : text.slice(start));
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
