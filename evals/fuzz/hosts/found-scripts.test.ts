import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../../root.js";
import { playTwice } from "./run-hosts.js";
import type { Script } from "./script.js";
import { strategies } from "./strategies.js";

/** What the random scripts have found: a line each, as a violation is told, with what it was about as its title. */
const found = readFileSync(join(root, "evals/fuzz/hosts/found-scripts.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Script & { readonly title: string; readonly strategy: string });

it.each(found)("$title", async ({ strategy: name, ...script }) => {
  const strategy = strategies.find((one) => one.name === name)!;
  expect(await playTwice(script, strategy)).toBeGreaterThan(0);
});
