import { expect, it } from "vitest";
import { playPrefix } from "./play.js";
import { prefixSystems } from "./systems.js";

const systemNamed = (name: string) => {
  const found = prefixSystems.find((system) => system.name === name);
  if (found === undefined) throw new Error(`No system ${name}`);
  return found;
};

it("no call of the ladder is refused, and it keeps all reasoning that its history allows", async () => {
  const row = await playPrefix(systemNamed("compactionNode"), 16_000, 30);
  expect(row).toMatchObject({ calls: 31, refused: 0, dropped: 0, kept: 1 });
});

it("a system that edits history and sends its reasoning along has calls refused", async () => {
  const row = await playPrefix(systemNamed("langchain summarization"), 16_000, 30);
  expect(row.refused).toBeGreaterThan(0);
  expect(row.dropped).toBeGreaterThan(0);
});
