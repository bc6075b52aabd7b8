import { describe, expect, it } from "vitest";
import { approveTheNode, approveTheTool } from "./approve-compaction.js";
import { runCreateAgent } from "./create-agent.js";
import { runCreateReactAgent } from "./create-react-agent.js";
import { runDeepAgents } from "./deep-agent.js";
import { runFunctionalApi } from "./functional-api.js";
import type { HostRun } from "./host-run.js";
import { runHumanInTheLoop } from "./human-in-the-loop.js";
import { runMcpTools } from "./mcp-tools.js";
import { runSupervisor, runSwarm } from "./multi-agent.js";
import { runOwnToolNode } from "./own-tool-node.js";
import { runWithPromptCaching } from "./prompt-caching.js";
import { runStateStyle } from "./state-styles.js";
import { runStreamEvents } from "./stream-events.js";
import { runSubgraph } from "./subgraph.js";

const largest = ({ prompts }: { readonly prompts: readonly number[] }) => Math.max(...prompts);

/** What must hold for a run: every prompt fits, the answer comes from the archive, every log can be read back, once. */
function factsOf(run: HostRun) {
  const logs = run.thread.filter(({ name }) => name === "read_log").map(({ text }) => text.slice(0, 7));
  return {
    fits: largest(run) < 16_000,
    answer: run.answer?.match(/E-\d+/)?.[0],
    logs: logs.length,
    different: new Set(logs).size,
  };
}

const whole = { fits: true, answer: "E-4037", logs: 24, different: 24 };

describe("an agent stays inside its window, answers from the archive, and can be read back whole", () => {
  it.each([
    ["a graph whose state is an Annotation", async () => runStateStyle("annotation")],
    ["a graph whose state is a StateSchema", async () => runStateStyle("schema")],
    ["a graph whose state is a zod object", async () => runStateStyle("zod")],
    ["createAgent", runCreateAgent],
    ["createReactAgent", runCreateReactAgent],
    ["a supervisor", runSupervisor],
    ["a swarm", runSwarm],
    ["the functional API", runFunctionalApi],
    ["a subgraph", runSubgraph],
    ["an agent with tools of an MCP server", runMcpTools],
    ["a tool node of the host", async () => runOwnToolNode({ commands: false })],
    ["tools that return a Command", async () => runOwnToolNode({ commands: true })],
    ["a graph that waits for a person before each call", runHumanInTheLoop],
  ])("in %s", async (_, runHost) => expect(factsOf(await runHost())).toEqual(whole));
});

it.each([approveTheNode, approveTheTool])("a person approves each compaction: %o", async (approve) => {
  const { asked, ...run } = await approve();
  expect(factsOf(run)).toEqual(whole);
  expect(asked.length).toBeGreaterThan(1);
  for (const text of asked)
    expect(text).toMatch(/^(?:Fold [1-9]\d* parts, from \d+ tokens to about \d+|compress_context: .+)\?$/);
});

it("prompt caching of langchain beside Palimpsest misses only at the beginning and after a compaction", async () => {
  const { calls, compactions } = await runWithPromptCaching();
  const missed = calls.filter(({ cached }) => cached === 0);
  expect(compactions).toBeGreaterThan(1);
  // The first prompt is too short for a cache.
  expect(missed.length).toBe(2 + compactions);
  expect(calls.filter(({ tokens, cached }) => cached > 0.6 * tokens).length).toBe(
    calls.length - missed.length,
  );
  expect(largest({ prompts: calls.map(({ tokens }) => tokens) })).toBeLessThan(16_000);
});

it("the calls of a summary model have the tag palimpsest:summary in streamEvents", async () => {
  const run = await runStreamEvents();
  expect(factsOf(run)).toEqual(whole);
  expect(run.calls.answers).toBe(run.prompts.length);
  expect(run.calls.summaries).toBeGreaterThan(0);
});

it("a deep agent with Palimpsest stays inside its window, answers from the archive, and keeps its thread whole", async () => {
  const { before, after } = await runDeepAgents();
  expect(largest(after)).toBeLessThan(Math.min(32_000, largest(before)));
  expect(after.answer).toContain("E-4037");
  expect(after.kept).toEqual(after.thread);
  expect(after.thread.filter((message) => message.getType() === "tool").length).toBeGreaterThanOrEqual(24);
});
