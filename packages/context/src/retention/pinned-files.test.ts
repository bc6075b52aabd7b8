import { expect, it } from "vitest";
import { talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { pathGlob } from "./path-glob.js";
import { checkPinFiles, maxPinnedCalls, pinnedFiles } from "./pinned-files.js";

const read = (at: number, path: string, content = "text") => [
  talk.calls(`c${at}`, { [`k${at}`]: ["read_file", { path }] }),
  talk.result(`r${at}`, `k${at}`, content),
];

it.each<[string, string, boolean]>([
  ["AGENTS.md", "/AGENTS.md", true],
  ["AGENTS.md", "AGENTS.md", true],
  ["/AGENTS.md", "./docs/../AGENTS.md", true],
  ["AGENTS.md", "/vendor/evil/AGENTS.md", false],
  ["AGENTS.md", "../AGENTS.md", false],
  ["docs/plan.md", "/vendor/docs/plan.md", false],
  ["docs/*.md", "docs/plan.md", true],
  ["docs/*.md", "/docs/evil/plan.md", false],
  ["/docs/**/plan.md", "/docs/plan.md", true],
  ["/docs/**/plan.md", "/docs/a/b/plan.md", true],
  ["**/AGENTS.md", "/vendor/AGENTS.md", true],
  ["/a?c/*x*", "/abc/1x2", true],
  ["/a?c/*x*", "/ac/x", false],
])("the pinned file %s and the path %s: %s", (glob, path, expected) => {
  expect(pathGlob(glob)(path)).toBe(expected);
});

it("a glob of many stars answers at once for the longest path", () => {
  const start = performance.now();
  expect(pathGlob(`${"*a".repeat(200)}b`)("a".repeat(4_096))).toBe(false);
  expect(pathGlob("**/a/".repeat(100) + "b")("a/".repeat(2_048))).toBe(false);
  expect(pathGlob("**")("a".repeat(1_000_000))).toBe(false);
  expect(performance.now() - start).toBeLessThan(1_000);
});

it("a pinned file stays with its newest reads, and what has no room is named", () => {
  const messages = [1, 2, 3].flatMap((at) => read(at, "/AGENTS.md", "rule ".repeat(100)));
  const one = estimateTokens(messages.slice(0, 2));
  const options = { pinFiles: ["/AGENTS.md"] };
  expect(pinnedFiles(messages, options).kept).toEqual(new Set(["c1", "c2", "c3", "r1", "r2", "r3"]));
  expect(pinnedFiles(messages, options).leftOut).toEqual([]);
  const bounded = pinnedFiles(messages, { ...options, pinFileTokens: 2 * one });
  expect(bounded.kept).toEqual(new Set(["c2", "c3", "r2", "r3"]));
  expect(bounded.leftOut).toEqual(["/AGENTS.md"]);
});

it("a pinned file that is read a thousand times stays 50 times", () => {
  const messages = Array.from({ length: 1_000 }, (_, at) => read(at, "/AGENTS.md")).flat();
  const { kept, leftOut } = pinnedFiles(messages, { pinFiles: ["AGENTS.md"] });
  expect(kept.size).toBe(2 * maxPinnedCalls);
  expect(kept.has("r999")).toBe(true);
  expect(leftOut).toEqual(["/AGENTS.md"]);
});

it.each([
  [[""]],
  [["/"]],
  [["../AGENTS.md"]],
  [[7]],
  ["AGENTS.md"],
  [Array.from({ length: 101 }, () => "a")],
])("pinFiles %j is refused with the way out", (pinFiles) => {
  expect(() => checkPinFiles(pinFiles as string[])).toThrow(/^pinFiles holds .*: (use|pass) /);
});
