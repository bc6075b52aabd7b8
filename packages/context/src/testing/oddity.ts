import { SystemMessage, ToolMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { idField, type Draft } from "./drafts.js";
import { ForeignMessage } from "./message-image.js";

/** An irregularity of real histories: changes a list of drafts. */
export type Oddity = (drafts: readonly Draft[]) => readonly Draft[];

/** Returns late, missing and orphaned results, misplaced system messages, and messages of an unknown class. */
export function oddityArbitrary(): fc.Arbitrary<Oddity> {
  const place = fc.nat(1_000);
  return fc.oneof(
    fc.tuple(place, fc.integer({ min: 1, max: 4 })).map(([at, by]) => moveResult(at, by)),
    place.map((at) => dropResult(at)),
    place.map((at) => insert(at, orphan)),
    place.map((at) => insert(at, system)),
    place.map((at) => insert(at, foreign)),
  );
}

const orphan: Draft = {
  kind: "result",
  build: (id) => new ToolMessage({ ...idField(id), content: "whose am I?", tool_call_id: "nobody" }),
};
const system: Draft = {
  kind: "system",
  build: (id) => new SystemMessage({ ...idField(id), content: "One more rule: answer in English." }),
};
const foreign: Draft = {
  kind: "foreign",
  build: (id) => new ForeignMessage({ ...idField(id), content: "a host's own kind of message" }),
};

function insert(at: number, draft: Draft): Oddity {
  return (drafts) => drafts.toSpliced(at % (drafts.length + 1), 0, draft);
}

function moveResult(at: number, by: number): Oddity {
  return (drafts) => {
    const from = resultAt(drafts, at);
    const draft = drafts[from];
    return draft === undefined ? drafts : drafts.toSpliced(from, 1).toSpliced(from + by, 0, draft);
  };
}

function dropResult(at: number): Oddity {
  return (drafts) => {
    const from = resultAt(drafts, at);
    return from < 0 ? drafts : drafts.toSpliced(from, 1);
  };
}

/** Returns the index of the `at`-th result, modulo their number; -1 without results. */
function resultAt(drafts: readonly Draft[], at: number): number {
  const results = drafts.flatMap(({ kind }, index) => (kind === "result" ? [index] : []));
  return results[at % Math.max(1, results.length)] ?? -1;
}
