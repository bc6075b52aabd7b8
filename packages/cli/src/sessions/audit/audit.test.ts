import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  keptRule,
  lostRule,
  madeStory,
  writeClaudeCode,
  writeCodex,
  writePi,
  type Story,
} from "@palimpsest/sessions/testing";
import { afterAll, describe, expect, it } from "vitest";
import { json, run } from "../../testing/run.js";
import { newPath, removePaths } from "../../testing/written-storage.js";
import type { AuditItem } from "./audit-items.js";
import type { SessionAudit } from "./audit-session.js";

afterAll(removePaths);

function written(text: string, name = "session.jsonl"): string {
  const file = join(dirname(newPath()), name);
  writeFileSync(file, text);
  return file;
}

async function auditOf(story: Story, write = writeClaudeCode): Promise<SessionAudit> {
  const [audit] = await json<SessionAudit[]>("audit", written(write(story)));
  if (audit === undefined) throw new Error("There is no audit.");
  return audit;
}

const found = (items: readonly AuditItem[] | undefined, text: string): AuditItem | undefined =>
  items?.find((item) => item.text.includes(text));

describe("the audit of a compaction", () => {
  it("says which rule of the user is in sight and which is lost, with the line it came from", async () => {
    const { compactions } = await auditOf(madeStory());
    expect(found(compactions[0]?.items, keptRule)).toMatchObject({
      kind: "constraint",
      fate: "in sight",
      line: 2,
    });
    expect(found(compactions[0]?.items, lostRule)).toMatchObject({
      kind: "constraint",
      fate: "lost",
      line: 2,
    });
    expect(compactions[0]?.items[0]?.text).toBe(lostRule);
  });

  it("lists commands with their exit status", async () => {
    const { compactions } = await auditOf(madeStory());
    const command = found(compactions[0]?.items, "npm test -- heron");
    expect(command).toMatchObject({ kind: "command", text: "npm test -- heron (exit 1)", fate: "lost" });
  });

  it("says what was worked again, with both lines and the tokens it cost", async () => {
    const { compactions } = await auditOf(madeStory({ lines: 40 }));
    expect(compactions[0]?.rework).toMatchObject([{ call: "read_file src/heron-0.ts" }]);
    const [again] = compactions[0]?.rework ?? [];
    expect(again?.again).toBeGreaterThan(again?.line ?? Infinity);
    expect(again?.tokens).toBeGreaterThan(100);
    expect(compactions[0]?.cost).toMatchObject({
      before: 155_000,
      isReported: true,
      after: 20_000,
      rework: again?.tokens,
    });
  });

  it("marks what was needed again, with the line, and puts it before other losses of its kind", async () => {
    const story = madeStory();
    const steps = story.steps.map((step) =>
      step.kind === "user" && step.text === "Go on, please."
        ? { ...step, text: "And src/heron-3.ts?" }
        : step,
    );
    const { compactions } = await auditOf({ ...story, steps });
    expect(found(compactions[0]?.items, "src/heron-3.ts")?.neededAt).toBeGreaterThan(10);
  });

  it("counts what is out of sight as recoverable if the summary names the file of the session", async () => {
    const story = madeStory();
    const steps = story.steps.map((step) =>
      step.kind === "compaction"
        ? { ...step, summary: `${step.summary} Read the transcript at /home/user/session.jsonl.` }
        : step,
    );
    const { compactions } = await auditOf({ ...story, steps });
    expect(found(compactions[0]?.items, lostRule)?.fate).toBe("recoverable");
  });

  it.each([
    ["Codex, which keeps the messages of the user", writeCodex, "in sight"],
    ["pi, which keeps none here", writePi, "lost"],
  ] as const)("judges what really stayed, in a session of %s", async (_, write, fate) => {
    const { compactions } = await auditOf(madeStory(), write);
    expect(found(compactions[0]?.items, lostRule)?.fate).toBe(fate);
  });
});

it("audit prints a table for people, and prices what a model with prices cost", async () => {
  const file = written(writeClaudeCode(madeStory()));
  const prices = written(
    '{"made-model-1":{"input":3,"cachedInput":0.3,"cacheWrite":3.75,"output":15}}',
    "prices.json",
  );
  const { out, code } = await run("audit", file, "--prices", prices);
  expect(code).toBe(0);
  expect(out).toContain("Compaction 1, line");
  expect(out).toMatch(/rules of the user +2 +1 +0 +1/);
  expect(out).toMatch(/0\.\d{4} paid, 0\.\d{4} saved/);
});

it("a session without a compaction has nothing to audit, and the audit says so", async () => {
  const { out, code } = await run("audit", written(writeClaudeCode(madeStory({ isCompacted: false }))));
  expect(code).toBe(0);
  expect(out).toContain("Nothing was compacted");
});

it("the page of an audit shows hostile text as text, and loads nothing", async () => {
  const hostile = '\u001b[2J\u202e<script>alert(1)</script><img src=x onerror=alert(1)> Never delete "main".';
  const story = madeStory();
  const steps = story.steps.map((step, at) =>
    step.kind === "user" && at === 0 ? { ...step, text: hostile } : step,
  );
  const file = written(writeClaudeCode({ ...story, steps }));
  const page = join(dirname(file), "audit.html");
  const { out } = await run("audit", file, "--html", page);
  const html = readFileSync(page, "utf8");
  expect(html).toContain("&lt;script&gt;");
  for (const text of ["<script", "<img", "http://", "https://", "\u001b", "\u202e"])
    expect(html).not.toContain(text);
  for (const text of ["\u001b", "\u202e"]) expect(out).not.toContain(text);
});

it("secrets are left out of reports on request, and the session stays as it is", async () => {
  const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
  const story = madeStory();
  const steps = story.steps.map((step, at) =>
    step.kind === "user" && at === 0 ? { ...step, text: `Always use the token ${secret} for pushes.` } : step,
  );
  const file = written(writeClaudeCode({ ...story, steps }));
  expect((await run("audit", file)).out).toContain(secret);
  const { out } = await run("audit", file, "--redact");
  expect(out).not.toContain(secret);
  expect(out).toContain("[redacted]");
  expect(readFileSync(file, "utf8")).toContain(secret);
});

it("a file that is no session is refused with a sentence", async () => {
  const { code, err } = await run("audit", written("# Notes\n", "notes.jsonl"));
  expect(code).toBe(2);
  expect(err).toContain("notes.jsonl is no session of");
});

it("an audit of several sessions begins with the one that lost most, and its page links to each", async () => {
  const whole = written(writeClaudeCode(madeStory({ isCompacted: false })), "whole.jsonl");
  const compacted = written(writeClaudeCode(madeStory()), "compacted.jsonl");
  const page = join(dirname(whole), "several.html");
  const { out, code } = await run("audit", whole, compacted, "--html", page);
  expect(code).toBe(0);
  const lines = out.split("\n");
  expect(lines[0]).toMatch(/^session +compactions +in sight +recoverable +lost/);
  expect(lines.slice(1, 3).map((line) => line.split(" ", 1)[0])).toEqual(["compacted", "whole"]);
  const html = readFileSync(page, "utf8");
  expect(html.indexOf('<a href="#session-2">compacted</a>')).toBeLessThan(
    html.indexOf('<a href="#session-1">whole</a>'),
  );
  expect(html).toContain('<section id="session-2">');
});
