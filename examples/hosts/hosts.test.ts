import { expect, it } from "vitest";
import { runDeepAgents } from "./deep-agent.js";

const largest = ({ prompts }: { readonly prompts: readonly number[] }) => Math.max(...prompts);

it("a deep agent with Palimpsest stays inside its window, answers from the archive, and can be read back whole", async () => {
  const { before, after } = await runDeepAgents();
  expect(largest(after)).toBeLessThan(Math.min(32_000, largest(before)));
  expect(after.answer).toContain("E-4037");
  expect(after.thread.length).toBeGreaterThan(after.kept.length);
  expect(after.thread.filter((message) => message.getType() === "tool").length).toBeGreaterThanOrEqual(24);
});
