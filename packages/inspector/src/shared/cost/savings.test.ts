import { VfsSaver } from "@palimpsest/checkpoint";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ThreadReader } from "../../reading/thread-reader.js";
import { auditWindow, writeAudit, type AuditFacts } from "../../testing/written-audit.js";
import type { Savings } from "./savings.js";

let saver: VfsSaver;
let reader: ThreadReader;
let facts: AuditFacts;
let saved: Savings;

beforeAll(async () => {
  saver = VfsSaver.inMemory();
  facts = await writeAudit(saver, "audit", 16);
  reader = new ThreadReader(saver, "audit");
  saved = await reader.savings(auditWindow);
});
afterAll(async () => saver.close());

it("counts what was sent as the model reported it, and the same calls without folds", () => {
  expect(saved.calls).toBe(facts.prompts.length);
  expect(saved.sent).toBe(facts.prompts.reduce((sum, prompt) => sum + prompt, 0));
  expect(saved.largest).toBe(Math.max(...facts.prompts));
  expect(saved.unfolded).toBeGreaterThan(saved.sent);
  expect(saved.largestUnfolded).toBeGreaterThan(auditWindow);
});

it("names the first call that the thread without folds would not have come past", async () => {
  const { overflow } = saved;
  // No prompt before the first fold is larger without folds.
  const firstFold = (await reader.rows()).find(({ folds }) => folds.length > 0);
  expect(overflow).toBeGreaterThan(8);
  expect(firstFold).toBeDefined();
  const wide = await reader.savings(1_000_000);
  expect(wide.overflow).toBeNull();
  expect((await reader.savings(saved.largestUnfolded)).overflow).toBeNull();
  expect((await reader.savings(saved.largestUnfolded - 1)).overflow).toBe(16);
});

it("says that the thread without folds is read from the cache but for what each call adds", () => {
  const [usage] = saved.billUnfolded;
  expect(usage).toMatchObject({ model: "scripted", calls: 16, input: saved.unfolded });
  expect(usage?.cacheWrites).toBe(saved.largestUnfolded);
  expect(usage?.cached).toBe(saved.unfolded - saved.largestUnfolded);
});

it("counts the rewrites that folds made, and nothing saved in a thread that folded nothing", async () => {
  expect(saved.rewrites).toBe(2);
  expect(saved.rewritten).toBeGreaterThan(0);
  await writeAudit(saver, "short", 3);
  const short = await new ThreadReader(saver, "short").savings(auditWindow);
  expect(short).toMatchObject({ calls: 3, rewrites: 0, rewritten: 0, overflow: null });
  expect(short.unfolded).toBe(short.sent);
});
