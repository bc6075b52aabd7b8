import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newestLines } from "../horizon/systems/newest-lines.js";
import { palimpsestAgent } from "./agents/palimpsest-agent.js";
import { localServer, type LocalServer } from "../live/local-server.js";
import { rowLog } from "./live/row-log.js";
import type { TargetedRow } from "./row.js";
import { targeted } from "./targeted.js";
import { goalKept } from "./tasks/goals.js";

const only = "goal kept through a summary";
let folder = "";
let server: LocalServer | undefined;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "targeted-test-"))));
afterEach(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Serves the task's own script over HTTP; recognizes the judge by its instruction. */
function provider(verdict: string) {
  const { script } = goalKept({ window: 20_000, pages: 24 });
  return (prompt: readonly BaseMessage[], tools: readonly string[]): AIMessage => {
    if (prompt[0]?.text.startsWith("You judge") === true) return new AIMessage(verdict);
    if (tools.length === 0) return new AIMessage(newestLines(prompt));
    return script?.(prompt, palimpsestAgent.vocabulary) ?? new AIMessage("");
  };
}

it("a model behind an endpoint is played and judged, and no row is played twice", async () => {
  server = await localServer(provider("PASS the form is right"));
  const log = join(folder, "rows.jsonl");
  const args = [
    "--model",
    "local",
    "--base-url",
    server.url,
    "--only",
    only,
    "--log",
    log,
    "--price-in",
    "1",
  ];
  const first = await targeted({ quick: true, args, progress: () => undefined });
  expect(first).toMatchObject({ passed: true, cases: 2 });
  expect((first.numbers as { readonly cost: number }).cost).toBeGreaterThan(0);
  const requests = server.count();
  const second = await targeted({ quick: true, args, progress: () => undefined });
  expect(server.count()).toBe(requests);
  expect(second.numbers).toEqual(first.numbers);
});

it("a targeted task does not hold when the judge says no", async () => {
  server = await localServer(provider("FAIL it is too short"));
  const log = join(folder, "rows.jsonl");
  const args = ["--model", "local", "--base-url", server.url, "--only", only, "--log", log];
  const result = await targeted({ quick: true, args, progress: () => undefined });
  expect(result.passed).toBe(false);
});

it("a log whose last line was cut short is read and continued", () => {
  const path = join(folder, "rows.jsonl");
  const row = { task: "a", system: "b", player: "c", repetition: 0, detail: "" } as TargetedRow;
  rowLog(path).add(row);
  appendFileSync(path, '{"task":"cut');
  rowLog(path).add({ ...row, repetition: 1 });
  const again = rowLog(path);
  expect([0, 1].map((repetition) => again.get({ ...row, repetition })?.repetition)).toEqual([0, 1]);
  expect(readFileSync(path, "utf8").endsWith("\n")).toBe(true);
});
