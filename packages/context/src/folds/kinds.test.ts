import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { planSummary } from "../summary/plan-summary.js";
import { talk } from "../testing/index.js";
import { foldKwargs, isOwn, isSummary, isUserMessage, isWholeFold, type Fold } from "./fold.js";
import { foldKinds, type FoldKind } from "./kinds.js";

function standIn(kind: FoldKind) {
  const fold: Fold = {
    id: "s",
    kind,
    path: "/context/history/a.md",
    covers: ["a", "b"],
    tokensBefore: 9,
    tokensAfter: 1,
  };
  return new HumanMessage({
    id: fold.id,
    content: "what was done",
    additional_kwargs: foldKwargs(fold),
  });
}

const kinds = Object.keys(foldKinds) as FoldKind[];
const replacing: ReadonlySet<FoldKind> = new Set(["summary", "trim", "micro", "macro", "chunk"]);

describe("kinds of folds", () => {
  it.each(kinds.map((kind) => [kind, !replacing.has(kind)] as const))(
    "the stand-in of a %s in the role of the user speaks for the user and may stay beside a summary: %s",
    (kind, speaks) => {
      const message = standIn(kind);
      expect([isUserMessage(message), isOwn(message)]).toEqual([speaks, speaks]);
      const plan = planSummary([message, talk.ai("e", "done"), talk.human("h", "go on")], {
        cut: 2,
        pin: () => true,
      });
      const carried = (plan?.carried ?? []).map(({ id }) => id);
      expect(carried.includes("s")).toBe(plan !== undefined && speaks);
    },
  );

  it("a summary, a trim and a compaction of the provider cover everything before them", () => {
    const found = kinds.filter((kind) => isWholeFold({ ...({} as Fold), kind }));
    expect(found).toEqual(["summary", "trim", "native"]);
    expect(kinds.filter((kind) => isSummary(standIn(kind)))).toEqual(["summary", "trim", "micro", "macro"]);
  });
});
