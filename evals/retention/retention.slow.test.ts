import { AIMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { localServer } from "../live/local-server.js";
import { constrainedRun } from "./constrained-run.js";
import { retention } from "./retention.js";
import { coverage, rulesOf } from "./rules-of.js";

it("retention measures the summaries of a model behind an endpoint", async () => {
  const server = await localServer(() => new AIMessage("## Findings\n- Learned: the work goes on"));
  try {
    const args = ["--model", "local", "--base-url", server.url];
    const result = await retention({ quick: true, args, progress: () => undefined });
    expect(result.passed).toBe(true);
    expect(result.tables.flatMap(({ rows }) => rows.map(([, summary]) => summary))).toContain("local");
    expect(server.count()).toBeGreaterThan(1);
  } finally {
    await server.close();
  }
});

it("a generated run has a different rule in every message of the user", () => {
  const { messages } = constrainedRun({ seed: 3, steps: 40 });
  expect(rulesOf(messages)).toHaveLength(5);
  expect(coverage("Never touch the folder", "never the folder")).toBeCloseTo(2 / 3);
});
