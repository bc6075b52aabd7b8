import type { BaseMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { maskToolResults } from "../passes/mask-tool-results.js";
import { applySummary } from "../summary/apply-summary.js";
import { planSummary } from "../summary/plan-summary.js";
import { readerOf, recordWrites, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { findFold, unfoldNamed } from "./find-fold.js";
import { foldOf } from "./fold.js";

const tokenCounter = estimateTokens;
const long = "a line of what the tool returned\n".repeat(100);
const turn = (at: number) => [
  talk.human(`h${at}`, `question ${at}`),
  talk.calls(`c${at}`, { [`a${at}`]: ["ls"] }),
  talk.result(`r${at}`, `a${at}`, `${at} ${long}`),
  talk.ai(`e${at}`, `answer ${at}`),
];
const ids = (messages: readonly BaseMessage[] = []) => messages.map(({ id }) => id);
const foldsOf = (messages: readonly BaseMessage[]) => messages.flatMap((message) => foldOf(message) ?? []);

/** A context with `depth` nested summaries; the innermost holds a masked result. */
function nested(depth: number) {
  const archive = new Map<string, string>();
  const masked = maskToolResults(turn(0), { keepSteps: 0, tokenCounter });
  recordWrites(archive, masked.writes);
  const levels = [masked.messages];
  for (let at = 1; at <= depth; at++) {
    const messages = [...(levels.at(-1) ?? []), ...turn(at)];
    const plan = planSummary(messages, { cut: messages.length - 4, userTokens: 0 });
    if (plan === undefined) throw new Error("nothing to fold");
    const { messages: folded, writes } = applySummary(plan, { text: `summary ${at}`, tokenCounter });
    recordWrites(archive, writes);
    levels.push(folded);
  }
  const reads: string[] = [];
  const read = (path: string) => {
    reads.push(path);
    return readerOf(archive)(path);
  };
  return { messages: levels.at(-1) ?? [], levels, read, reads, archive };
}

describe("findFold", () => {
  it("finds a fold of the context without reading the archive", async () => {
    const { messages, read, reads } = nested(3);
    const [fold] = foldsOf(messages);
    for (const name of [fold?.id, fold?.path, fold?.record]) {
      expect(await findFold(messages, String(name), { read })).toEqual([fold]);
    }
    expect(reads).toEqual([]);
  });

  it("finds a nested fold by its id, its path and its record, with the folds that contain it", async () => {
    const { messages, levels, read } = nested(3);
    const way = [3, 2, 1, 0].map((level) => foldsOf(levels[level] ?? [])[0]);
    expect(way[3]?.kind).toBe("mask");
    for (const name of [way[3]?.id, way[3]?.path]) {
      expect(await findFold(messages, String(name), { read })).toEqual(way);
    }
    expect(await findFold(messages, String(way[2]?.record), { read })).toEqual(way.slice(0, 3));
    expect(await findFold(messages, "nobody", { read })).toBeUndefined();
  });

  it("reads at most the maximum number of records", async () => {
    const { messages, levels, read, reads } = nested(12);
    const deepest = String(foldsOf(levels[0] ?? [])[0]?.id);
    expect(await findFold(messages, deepest, { read, most: 5 })).toBeUndefined();
    expect(reads).toHaveLength(5);
    expect(await findFold(messages, deepest, { read })).toHaveLength(13);
  });

  it("skips records that cannot be read", async () => {
    const { messages, levels, archive } = nested(2);
    const inner = String(foldsOf(levels[1] ?? [])[0]?.id);
    const outer = String(foldsOf(messages)[0]?.record);
    archive.set(outer, "broken");
    expect(await findFold(messages, inner, { read: readerOf(archive) })).toBeUndefined();
    archive.delete(outer);
    expect(await findFold(messages, inner, { read: readerOf(archive) })).toBeUndefined();
  });
});

describe("unfoldNamed", () => {
  it("opens a nested fold and one level of the folds around it, and leaves the rest closed", async () => {
    const { messages, levels, read } = nested(3);
    const [mask] = foldsOf(levels[0] ?? []);
    const opened = await unfoldNamed(messages, String(mask?.id), { read });
    expect(opened?.folds.map(({ kind }) => kind)).toEqual(["summary", "summary", "summary", "mask"]);
    expect(ids(opened?.messages)).toEqual([0, 1, 2, 3].flatMap((at) => ids(turn(at))));
    expect(opened?.messages[2]?.content).toBe(`0 ${long}`);
    const [, inner] = [3, 2].map((level) => foldsOf(levels[level] ?? [])[0]);
    const once = await unfoldNamed(messages, String(inner?.id), { read, levels: 1 });
    expect(foldsOf(once?.messages ?? [])).toEqual(foldsOf(levels[1] ?? []));
  });

  it("returns undefined for an unknown fold", async () => {
    const { messages, read } = nested(1);
    expect(await unfoldNamed(messages, "nobody", { read })).toBeUndefined();
  });
});
