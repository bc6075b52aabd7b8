import { expect, it } from "vitest";
import { cellsOf } from "./cells.js";
import { holds } from "./compactbench.js";
import { families, type Family } from "./families.js";
import { difficulties, makeCase } from "./made-case.js";
import { playCase } from "./play-case.js";
import { answerFrom } from "./reader.js";
import { checkAnswer, driftResistance, scoreCycle } from "./score.js";
import { compactingSystems, type CompactingSystem } from "./systems.js";

const names = Object.keys(families) as Family[];

function systemNamed(name: string) {
  const system = compactingSystems.find((one) => one.name === name);
  if (system === undefined) throw new Error(`no system is named ${name}`);
  return system;
}

function check(kind: "contains_normalized" | "forbidden_absent", answer: string): number {
  return checkAnswer({ check: kind, value: "Keep  it" }, answer);
}

function contains(value: string) {
  return { check: "contains_normalized", value } as const;
}

function texts(seed: number): readonly string[] {
  return makeCase("decision_override", "easy", seed).turns.map(({ text }) => text);
}

it("checks ignore case and white space", () => {
  expect(check("contains_normalized", "we keep\nit so")).toBe(1);
  expect(check("contains_normalized", "we keep")).toBe(0);
  expect(check("forbidden_absent", "we KEEP it")).toBe(0);
  expect(check("forbidden_absent", "")).toBe(1);
  expect(checkAnswer({ check: "set_match", values: ["a b", "c"] }, "A  B")).toBe(0.5);
});

it("a cycle is scored by weights, less the share of contradicting answers", () => {
  const items = [
    { kind: "locked_decision_retention", expected: contains("x") },
    { kind: "entity_integrity", expected: contains("y") },
  ] as const;
  expect(scoreCycle(items, ["x", "y"], [])).toBe(1);
  expect(scoreCycle(items, ["x", "no"], [])).toBe(0.75);
  expect(scoreCycle(items, ["no", "y"], [])).toBe(0.25);
  expect(scoreCycle(items, ["x", "y and z"], ["z"])).toBe(0);
  expect(scoreCycle(items, ["x and z", "y"], ["z"])).toBe(1);
});

it("drift resistance is the share of the first score that later cycles retain", () => {
  expect(driftResistance([0.8, 0.4, 0.2])).toBeCloseTo(0.375);
  expect(driftResistance([0.5, 1])).toBe(1);
  expect(driftResistance([0, 1])).toBe(0);
  expect(driftResistance([1])).toBe(0);
});

it("the reader answers with the newest sentence in sight, and with nothing that is not there", () => {
  const text = "For that, let us fly. Instead, let us walk. Ada will sing. Never whistle.";
  expect(answerFrom(text, { of: "plan" })).toBe("walk");
  expect(answerFrom("let us fly.", { of: "still", option: "fly" })).toContain("fly");
  expect(answerFrom(text, { of: "tasks", person: "Ada" })).toBe("sing");
  expect(answerFrom(text, { of: "tasks", person: "Ben" })).toBe("I do not know.");
  expect(answerFrom(text, { of: "rule" })).toBe("whistle");
  const repeated = `${text} Record: let us fly.`;
  expect(answerFrom(repeated, { of: "plan" }, "first mention")).toBe("walk");
  expect(answerFrom(repeated, { of: "plan" }, "last mention")).toBe("fly");
});

it("a case has the filler of its difficulty, and is always the same", () => {
  const turns = difficulties.map((difficulty) => makeCase("buried_constraint", difficulty, 5).turns.length);
  expect(turns).toEqual([9, 13, 21, 37]);
  expect(texts(3)).toEqual(texts(3));
  expect(texts(3)).not.toEqual(texts(4));
});

it("from the whole thread every item is answered, and from nothing less than three quarters are", async () => {
  const cases = names.flatMap((family) => [1, 2, 3, 4].map((seed) => makeCase(family, "medium", seed)));
  const play = (name: string) =>
    Promise.all(cases.map(async (one) => (await playCase(one, systemNamed(name), 4_000)).scores));
  expect(new Set((await play("oracle")).flat())).toEqual(new Set([1]));
  expect(Math.max(...(await play("null")).flat())).toBeLessThanOrEqual(0.75);
});

it("the newest turns alone do not answer what was said before a window of other text", async () => {
  const one = makeCase("buried_constraint", "elite", 1);
  const { scores } = await playCase(one, systemNamed("truncate-last-n"), 4_000);
  expect(Math.max(...scores)).toBeLessThan(0.5);
});

it("fails where ours keeps the newest turns alone", async () => {
  const ours = compactingSystems.find(({ isOurs }) => isOurs === true);
  const system = { ...systemNamed("truncate-last-n"), name: ours?.name ?? "" };
  const cases = [1, 2].map((seed) => makeCase("buried_constraint", "elite", seed));
  const play = async (one: CompactingSystem) => Promise.all(cases.map((each) => playCase(each, one, 4_000)));
  const [lost, kept] = [await play(system), await play(systemNamed(system.name))];
  expect([lost, kept].map((played) => holds(cellsOf(played), played))).toEqual([false, true]);
});
