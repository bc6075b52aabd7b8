import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { measureRuns, type CallCost } from "../cost/measure-cost.js";
import { SummaryMeter } from "../cost/summary-meter.js";
import { generateTrajectory } from "../data/made/generate-trajectory.js";
import { dominatorsOf, pickedComparisons } from "./compare-rows.js";
import { pickedOf } from "./picks.js";
import { policyOf } from "./play-system.js";
import { adkTokenBased } from "./systems/adk-token-based.js";
import { palimpsest } from "./systems/palimpsest.js";
import { strandsSummarizing } from "./systems/strands-summarizing.js";
import { tableSystems } from "./systems.js";
import { tableRow, type TableRow } from "./table-row.js";
import type { TableSystem } from "./table-system.js";

const others = tableSystems.filter(({ isOurs }) => isOurs !== true);
const trajectory = generateTrajectory({ seed: 1, steps: 60 });

it("the table has six packages of others, and four settings of each at most", () => {
  const packages = new Set(others.flatMap(({ package: name }) => name ?? []));
  expect(packages.size).toBeGreaterThanOrEqual(6);
  expect(Math.max(...tableSystems.map(({ settings }) => Object.keys(settings).length))).toBe(4);
});

it.each(tableSystems.map((system) => [system.name, system] as const))(
  "%s shows a new message of the user, at each of its settings",
  async (_, system) => {
    const { messages } = generateTrajectory({ seed: 2, steps: 40 });
    const newest = messages.findLastIndex((message) => message.getType() === "human");
    for (const start of Object.values(system.settings)) {
      const run = policyOf(system, start, new SummaryMeter()).start({ budget: 16_000, seed: 1 });
      await run.context(messages.slice(0, newest), { chunk: 0, needed: [] });
      const shown = await run.context([messages[newest]!], { chunk: 1, needed: [] });
      expect(shown.at(-1)?.text).toBe(messages[newest]?.text);
    }
  },
);

it("a system prompt is in each prompt, and takes its tokens from the window", async () => {
  const windows: number[] = [];
  const system: TableSystem = {
    name: "the newest message",
    reads: "prompt",
    settings: {},
  };
  const policy = policyOf(
    system,
    ({ window }) => {
      windows.push(window);
      return (messages) => messages.slice(-1);
    },
    new SummaryMeter(),
  );
  const run = policy.start({ budget: 1_000, seed: 1 });
  const [rules, one, two] = [
    new SystemMessage("x".repeat(399)),
    new HumanMessage("1"),
    new HumanMessage("2"),
  ];
  expect(await run.context([rules, one], { chunk: 0, needed: [] })).toEqual([rules, one]);
  expect(await run.context([two], { chunk: 1, needed: [] })).toEqual([rules, two]);
  expect(windows).toEqual([900]);
});

it.each([strandsSummarizing, adkTokenBased])(
  "summaries are billed where $name calls a model of its own kind",
  async (system) => {
    const calls = await costsOf(system);
    expect(calls.reduce((sum, { summary }) => sum + summary.input, 0)).toBeGreaterThan(1_000);
    expect(calls.reduce((sum, { summary }) => sum + summary.output, 0)).toBeGreaterThan(100);
  },
);

it("a rival with the same recall for half the bill dominates, and one over the window is no rival", () => {
  const half = rowOf(others[0]!, { recall: 0.5, tokens: 500 });
  const over = rowOf(others[1]!, { recall: 0.9, tokens: 50_000 });
  const [picked] = pickedOf([rowOf(palimpsest, { recall: 0.5, tokens: 1_000 }), half, over]);
  expect(dominatorsOf(picked!).map(({ system }) => system)).toEqual([others[0]]);
  const [bill] = pickedComparisons(picked!);
  expect(bill).toMatchObject({ better: "lower", rivals: [{ name: others[0]!.name }] });
});

it("a rival with less recall for half the bill does not dominate", () => {
  const rival = rowOf(others[0]!, { recall: 0.4, tokens: 500 });
  const [picked] = pickedOf([rowOf(palimpsest, { recall: 0.5, tokens: 1_000 }), rival]);
  expect(dominatorsOf(picked!)).toEqual([]);
});

it("defaults are the first settings, and tuned ones the cheapest whose prompts can be sent", () => {
  const first = rowOf(palimpsest, { recall: 0.5, tokens: 1_000 });
  const cheap = { ...rowOf(palimpsest, { recall: 0.5, tokens: 500 }), setting: "cheap" };
  const empty = { ...rowOf(palimpsest, { recall: 0, tokens: 0 }), setting: "empty" };
  const settings = pickedOf([first, cheap, empty]).map(({ rows }) => rows.map(({ setting }) => setting));
  expect(settings).toEqual([["default"], ["cheap"]]);
});

interface Made {
  readonly recall: number;
  readonly tokens: number;
}

/** A row of 20 calls that are all alike. */
function rowOf(system: TableSystem, { recall, tokens }: Made): TableRow {
  const full = [Array.from({ length: 20 }, () => callOf({ recall: 1, tokens: 2_000 }))];
  const runs = [Array.from({ length: 20 }, () => callOf({ recall, tokens }))];
  return tableRow({ set: "runs", window: 32_000, system, setting: "default", runs, full });
}

function callOf({ recall, tokens }: Made): CallCost {
  return {
    tokens,
    cached: 0,
    isBroken: false,
    isEmpty: tokens === 0,
    summary: { input: 0, output: 0 },
    reRead: 0,
    recall,
    illegal: 0,
    hasGoal: true,
    constraints: undefined,
    control: undefined,
  };
}

async function costsOf(system: TableSystem): Promise<readonly CallCost[]> {
  const [start] = Object.values(system.settings);
  const meter = new SummaryMeter();
  const played = { policy: policyOf(system, start!, meter), meter };
  return (await measureRuns([trajectory], played, { window: 16_000 })).flat();
}
