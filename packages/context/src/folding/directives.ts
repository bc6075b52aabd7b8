import { jsonrepair } from "jsonrepair";
import { z } from "zod";
import { once } from "../once.js";
import type { FoldTarget } from "./resolve-target.js";

/** A fold that the model requests: a summary of the latest interaction, or one that replaces several blocks. */
export interface FoldDirective {
  /** Undefined for the latest interaction alone. */
  readonly target?: FoldTarget;
  readonly summary: string;
  /** True for a granular condensation that names a target: it may only name the latest interaction. */
  readonly isGranular?: boolean;
  /** How sure the model is that the fold is right, 0 to 1. */
  readonly confidence?: number;
}

/** A directive, the reason for refusing one (a text for the model), or `none` for a valid text that requests no fold. */
export type ParsedDirective =
  | { readonly directive: FoldDirective }
  | { readonly refusal: string }
  | { readonly none: true };

/** Maximum characters of a directive. */
const maxCharacters = 100_000;
/** Maximum characters of a directive to repair: the repair takes quadratic time. */
const maxRepaired = 20_000;

/**
 * Two forms: that of the paper and of the arguments of `fold_context`, which may name steps, ids or neither, and the production
 * form.
 */
const forms = once(() => {
  const { summary, range, ids, confidence } = fields();
  const target = z.union([z.object({ ids }), z.object({ range })]);
  const plain = z
    .object({ range: range.nullish(), ids: ids.nullish(), summary, confidence })
    .refine((fold) => !(fold.range && fold.ids), "give range or ids, not both")
    .transform((fold) => ({
      ...directiveOf(fold.range ?? undefined, fold.ids ?? undefined, fold.summary),
      ...sureness(fold.confidence),
    }));
  const granular = z
    .object({
      type: z.literal("granular_condensation"),
      target: target.nullish(),
      summary_text: summary,
      confidence,
    })
    .transform((fold): FoldDirective => ({
      ...(fold.target ? { target: foldTarget(fold.target), isGranular: true } : {}),
      summary: fold.summary_text,
      ...sureness(fold.confidence),
    }));
  const deep = z
    .object({ type: z.literal("deep_consolidation"), target, summary_text: summary, confidence })
    .transform((fold): FoldDirective => ({
      target: foldTarget(fold.target),
      summary: fold.summary_text,
      ...sureness(fold.confidence),
    }));
  return { plain, production: z.object({ fold: z.union([plain, granular, deep]) }) };
});

/** The values of both forms. */
function fields() {
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
  return { summary, range, ids: z.array(id).min(1), confidence: z.number().min(0).max(1).nullish() };
}

function foldTarget(
  target: { readonly ids: number[] } | { readonly range: { from: number; to?: number } },
): FoldTarget {
  return "ids" in target ? target : target.range;
}

function sureness(confidence: number | null | undefined): { readonly confidence?: number } {
  return confidence === null || confidence === undefined ? {} : { confidence };
}

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
 * Parses the directive in a text, in the paper's form or in the production form.
 *
 * Pure, never throws. Tolerates code fences, trailing commas, single quotes, comments, missing brackets and text around
 * the object; validates the values strictly.
 */
export function parseDirective(text: string): ParsedDirective {
  const value = objectIn(text);
  return value === undefined
    ? { refusal: `The fold directive is no JSON object. ${usage}` }
    : checkDirective(value);
}

/**
 * Validates the directive in a value, such as the arguments of a `fold_context` call. Pure, never throws.
 *
 * The published protocol has two keys, `fold` and `latest`. `latest` has no effect, because the latest interaction is
 * read from the messages. A missing `fold`, or `"fold": null`, requests no fold.
 */
export function checkDirective(value: unknown): ParsedDirective {
  const fields = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const isNamed = fields["fold"] !== undefined && fields["fold"] !== null;
  const isPlain = ["range", "ids", "summary"].some((field) => field in fields);
  if (!isNamed && !isPlain && ("fold" in fields || "latest" in fields)) return { none: true };
  const { production, plain } = forms();
  const schema = isNamed ? production : plain;
  const parsed = schema.safeParse(value);
  if (parsed.success) return { directive: "fold" in parsed.data ? parsed.data.fold : parsed.data };
  return { refusal: `The fold directive has the wrong form. ${usage}` };
}

/** Returns the JSON object in a text, repaired if necessary, or undefined. Never throws. */
export function objectIn(text: string): unknown {
  const [start, end] = [text.indexOf("{"), text.lastIndexOf("}") + 1];
  return start < 0 || text.length > maxCharacters
    ? undefined
    : jsonOf(end > start ? text.slice(start, end) : text.slice(start));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Fall through: only invalid text needs the slower repair.
  }
  if (text.length > maxRepaired) return undefined;
  try {
    return JSON.parse(jsonrepair(text));
  } catch {
    return undefined;
  }
}
