import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { madeStep } from "../data/made/made-step.js";
import { rawFolders, readTrajectories } from "../data/read-trajectories.js";
import { callsOf } from "./agent-calls.js";
import { madeSession } from "./made-session.js";
import { missingFiles } from "./missing-files.js";
import { compactionsOf, type PlayedCompaction } from "./played-compaction.js";
import { reworkOf } from "./rework.js";

let calls = 0;

function step(name: string, args: Record<string, unknown>, result: string): readonly BaseMessage[] {
  return madeStep({ id: calls++, said: "", name, args, result });
}

const text = Array.from(
  { length: 10 },
  (_, line) => `${line + 1}→const setting_${line} = "value ${line}";`,
).join("\n");

function compactionOf(past: readonly BaseMessage[], after: readonly BaseMessage[]): PlayedCompaction {
  return { set: "s", session: "1", half: "first", number: 1, past, summary: "It read /p/a.ts.", after };
}

it("rework is what a call that reads or searches brings again, and no edit or test", () => {
  const past = [
    ...step("Read", { file_path: "/p/a.ts" }, text),
    ...step("AskUserQuestion", { question: "Which port shall it use?" }, "80"),
  ];
  const rework = reworkOf(
    compactionOf(past, [
      ...step("Bash", { command: "cd /p && cat a.ts" }, text),
      ...step("Read", { file_path: "/p/a.ts" }, text),
      ...step("Grep", { pattern: "fresh" }, "/p/b.ts:1: a line that nobody has seen before"),
      ...step("AskUserQuestion", { question: "Which port shall it use now?" }, "80"),
      ...step("Edit", { file_path: "/p/a.ts", old_string: "x", new_string: "y" }, text),
      ...step("Bash", { command: "npm test" }, text),
    ]),
  );
  expect(rework).toMatchObject({ toFirstEdit: 4, calls: 6, looking: 4, searches: 0, questions: 1 });
  expect(rework.again.map(({ call, lines }) => [call.name, lines.size])).toEqual([["Bash", 10]]);
  expect([...rework.files]).toEqual(["/p/a.ts"]);
});

it.each([
  ["cat src/a.ts | head", "read"],
  ["FOO=1 sed -n '1,9p' a.ts", "read"],
  ["sed -i s/a/b/ a.ts", "other"],
  ["cat a.ts > b.ts", "other"],
  ["git -C /p diff a.ts", "read"],
  ["git status", "other"],
  ["cd /p && rg name 2>/dev/null", "search"],
  ["npm test", "other"],
])("the command %s is one to %s", (command, kind) => {
  expect(callsOf(step("Bash", { command }, "")).map((call) => call.kind)).toEqual([kind]);
});

it("what is missing of a file are its lines that the context lacks, and what follows is not looked at", () => {
  const past = [
    ...step("Read", { file_path: "/p/a.ts" }, text),
    ...step("Bash", { command: "npm test" }, "ok"),
  ];
  const [whole] = missingFiles({ past }, "no-a.ts");
  const [half] = missingFiles({ past }, `a.ts: ${text.split("\n").slice(0, 5).join("\n")}`);
  expect(whole).toMatchObject({ path: "/p/a.ts", names: 0, age: 1 });
  expect(half).toMatchObject({ names: 1, tokens: (whole?.tokens ?? 0) / 2 });
});

it("all compactions of a session are in one half, and what follows ends at the next one", () => {
  const [one, other] = [madeSession(1), madeSession(2)];
  const { compactions: [first] = [] } = one;
  const twice = { ...one, compactions: [first!, { before: one.messages.length - 2, summary: "Again." }] };
  const played = compactionsOf([other, twice]);
  expect(played.map(({ session, number, half }) => [session, number, half])).toEqual([
    ["made-1", 1, "first"],
    ["made-1", 2, "first"],
    ["made-2", 1, "second"],
  ]);
  expect(played[0]!.past.length + played[0]!.after.length).toBe(played[1]!.past.length);
});

function record(uuid: string, parentUuid: string | null, more: object): string {
  return JSON.stringify({ uuid, parentUuid, sessionId: "s", isSidechain: false, ...more });
}

function said(content: string): object {
  return { type: "user", message: { role: "user", content } };
}

it("a session in the form of its agent is read without its subagents", async () => {
  const root = mkdtempSync(join(tmpdir(), "raw-"));
  try {
    mkdirSync(join(root, "x-raw"));
    const lines = [
      record("1", null, said("Port the project.")),
      record("2", null, { ...said("Look at the tests."), isSidechain: true, agentId: "sub" }),
      record("3", "1", {
        type: "system",
        subtype: "compact_boundary",
        compactMetadata: { trigger: "auto", preTokens: 9 },
      }),
      record("4", "3", { ...said("The summary."), isCompactSummary: true }),
      record("5", "4", said("Go on.")),
    ];
    writeFileSync(join(root, "x-raw/1.jsonl"), lines.join("\n"));
    const [run] = await readTrajectories(root, { sets: rawFolders(root) });
    expect(run?.messages.map(({ text: content }) => content)).toEqual(["Port the project.", "Go on."]);
    expect(run?.messages[0]).toBeInstanceOf(HumanMessage);
    expect(run?.compactions).toEqual([{ before: 1, summary: "The summary.", tokensBefore: 9 }]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
