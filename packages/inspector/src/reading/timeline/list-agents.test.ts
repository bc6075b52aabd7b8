import { VfsSaver } from "@palimpsest/checkpoint";
import { afterAll, beforeAll, expect, it } from "vitest";
import { agentSums } from "../../shared/agent-view.js";
import { writeAudit } from "../../testing/written-audit.js";
import { writeRuns } from "../../testing/written-runs.js";
import { listAgents } from "./list-agents.js";

let saver: VfsSaver;

beforeAll(async () => {
  saver = VfsSaver.inMemory();
  await writeAudit(saver, "audit", 3);
  for (const thread of ["audit/reader", "audit/reader/page", "audit/writer"])
    await writeAudit(saver, thread, 5);
  await writeRuns(saver, "runs");
});
afterAll(async () => saver.close());

it("lists threads of subagents as a tree, each with what its own calls took", async () => {
  const agents = await listAgents(saver, "audit");
  expect(agents.map(({ name, agents: inner }) => [name, inner.map((one) => one.name)])).toEqual([
    ["reader", ["page"]],
    ["writer", []],
  ]);
  expect(agents[0]?.usage).toMatchObject([{ model: "scripted", calls: 5, output: 50 }]);
  // The fifth turn calls a tool that does not exist, the fourth one that fails.
  expect(agents[1]?.errors).toBeGreaterThan(0);
});

it("lists runs of subgraphs with the runs inside them, and adds up those of one node", async () => {
  const agents = await listAgents(saver, "runs");
  expect(agents.map(({ name, agents: inner }) => [name, inner.map((one) => one.name)])).toEqual([
    ["inner 1", ["deepest"]],
    ["steady", []],
    ["inner 2", ["deepest"]],
  ]);
  expect(agents[0]?.folds).toBeGreaterThan(0);
  expect(agentSums(agents).map(({ name, runs }) => [name, runs])).toEqual([
    ["inner", 2],
    ["deepest", 2],
    ["steady", 1],
  ]);
});
