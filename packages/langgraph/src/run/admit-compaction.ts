import { isPrompt, once } from "@palimpsest/context/internal";
import { z } from "zod";
import { laneUseSchema } from "../lanes/lane-use.js";
import type { CompactionState } from "./context-state.js";

/** The schema of each field that the nodes write. */
const formOfFields = once((): Readonly<Record<keyof CompactionState, z.ZodType>> => {
  const count = z.number().min(0);
  const text = z.string();
  const bill = z.object({ tokens: count, cachedTokens: count, cost: z.number() });
  return {
    context: z.array(z.union([text, z.tuple([text, text]), z.custom<object>(isObject)])),
    contextWindow: z.number().positive(),
    overheadTokens: count,
    prompt: z.string().refine(isPrompt),
    tokenRatio: z.number().min(0.5).max(2),
    countError: z.number().min(0).max(0.25),
    scope: text,
    unfoldedAt: text,
    editedAt: text,
    refusedAt: count,
    refusedFor: text,
    overflow: z.object({ reason: text, tokens: count }),
    retriedAt: text,
    disputedUsage: z.boolean(),
    budgetLines: z.array(z.object({ after: text, text })),
    planner: z.object({
      folded: z.object({ steps: count, tokens: count }),
      steps: count,
      cost: z.number(),
      savingPerStep: z.number(),
      firstCall: z.object({ after: text, predicted: bill }).optional(),
    }),
    prepared: z.object({ upTo: text, digest: z.string().regex(/^[0-9a-f]+$/) }),
    lastCall: z.object({ at: count, after: text }),
    prefix: z.object({
      marks: z.array(z.object({ messages: count, digest: text })),
      frames: z.array(text).optional(),
      reasons: z.literal(true).optional(),
    }),
    goals: z.array(z.object({ text, step: count, by: z.enum(["user", "model"]).optional() })),
    directedBy: text,
    microPause: z.object({ until: count, steps: count }),
    regret: z.object({ upTo: text, level: count.max(8), quiet: count, folded: z.array(text).max(64) }),
    drift: text,
    failures: z.array(z.object({ rung: text, next: text, text, after: text })),
    lane: laneUseSchema(),
    inputKey: text,
    others: z.record(text, z.custom<object>(isObject)),
  };
});

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Values that were checked before: the steps of a run see the same objects. */
const checked = new WeakMap<object, CompactionState>();

/**
 * Returns the state of compaction without the fields that no node can have written, because a client may also send this channel.
 * Undefined for undefined and null. Pure.
 */
export function admitCompaction(value: unknown): CompactionState | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object") return {};
  const known = checked.get(value);
  if (known !== undefined) return known;
  const entries = Object.entries(value);
  const sound = entries.filter(([name, field]) => isSound(name, field));
  const admitted = sound.length === entries.length ? value : Object.fromEntries(sound);
  checked.set(value, admitted);
  return admitted;
}

function isSound(name: string, field: unknown): boolean {
  const fields = formOfFields();
  if (!Object.hasOwn(fields, name)) return false;
  return field === undefined || fields[name as keyof CompactionState].safeParse(field).success;
}
