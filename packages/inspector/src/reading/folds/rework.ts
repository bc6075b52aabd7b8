import { lastUpTo } from "../../shared/call-positions.js";
import type { ReworkView } from "../../shared/rework-view.js";
import { asksFor, coveredCalls, type PlacedCall } from "./asked-again.js";
import type { Branch } from "./why.js";

/** Calls after a fold in which asking for what it covers counts as its rework. */
const within = 10;
/** Tools that look for something in the archive without naming it. */
const searches: ReadonlySet<string> = new Set(["search_history", "unfold", "glimpse"]);

/**
 * Returns for each fold what the agent asked for again within its next calls: the originals of the fold, the same tool call as
 * one that it covers, or a search of the archive. Pure.
 */
export function rework({ rows, calls, facts, fold }: Omit<Branch, "sight">): readonly ReworkView[] {
  const toolCalls = new Map<string, PlacedCall[]>();
  for (const call of facts.toolCalls) {
    const known = toolCalls.get(call.reply ?? "");
    if (known === undefined) toolCalls.set(call.reply ?? "", [call]);
    else known.push(call);
  }
  return rows.flatMap((row, at) => {
    const first = lastUpTo(calls.stops, at - 1) + 1;
    const next = calls.stops.slice(first, first + within).flatMap((stop) => rows[stop]?.calls ?? []);
    const asked = next.flatMap(({ id }) => toolCalls.get(id ?? "") ?? []);
    return row.folds.flatMap((view) => {
      const record = fold(view.id);
      if (record === undefined) return [];
      const covered = coveredCalls(record, facts);
      const hows = asked.map((call) => asksFor(call, record, covered));
      return {
        fold: view.id,
        kind: view.kind,
        reason: view.reason,
        checkpoint: row.id,
        call: calls.counts[calls.stops[first] ?? at] ?? null,
        saved: view.before - view.after,
        originals: hows.filter((how) => how === "originals").length,
        repeated: hows.filter((how) => how === "same call").length,
        searched: asked.filter((call, index) => hows[index] === undefined && searches.has(call.tool)).length,
      };
    });
  });
}
