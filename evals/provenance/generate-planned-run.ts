import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { madeStep } from "../data/made/made-step.js";
import { randomFrom } from "../data/random-from.js";
import type { Trajectory } from "../data/trajectory.js";
import { pick } from "../data/pick.js";

/** Items of the plan; each takes four calling steps. */
const items = 30;
const verbs = ["Port", "Split", "Rename", "Guard", "Document", "Simplify"];
const parts = ["parser", "router", "cache", "session", "ledger", "mailer", "scheduler", "gateway"];
const words =
  "account batch cursor digest entry field group header index journal kernel lock marker node offset".split(
    " ",
  );

/**
 * Returns a generated run of a coding agent whose plan stands in one message: it writes a file of check-boxes, works through them with
 * reads, edits and tests, and ticks each by an edit that repeats its line.
 */
export function generatePlannedRun(seed: number): Trajectory {
  const random = randomFrom(seed);
  const planned = Array.from({ length: items }, (_, at) => {
    const [part, one, other] = [pick(parts, random), pick(words, random), pick(words, random)];
    const name = `${one}${other[0]?.toUpperCase()}${other.slice(1)}${at}`;
    const path = `src/${part}/${one}-${at}.ts`;
    const text = `${pick(verbs, random)} \`${name}\` in ${path} before the ${part} is switched over`;
    return { path, name, text };
  });
  const task = "Write a plan for the move to the new core, then work through it.";
  const messages: BaseMessage[] = [new HumanMessage({ id: "h", content: task })];
  const call = (name: string, args: Record<string, unknown>, result: string) => {
    const id = messages.length;
    messages.push(...madeStep({ id, callId: `k${id}`, said: "", name, args, result }));
  };
  const edit = (path: string, before: string, after: string) =>
    call("edit_file", { path, old_string: before, new_string: after }, "Edited.");
  const filler = (lines: number) =>
    Array.from(
      { length: lines },
      () =>
        `  const ${pick(words, random)} = ${pick(parts, random)}.${pick(words, random)}(${pick(words, random)});`,
    );
  const open = planned.map(({ text }) => `- [ ] ${text}`);
  call("write_file", { path: "PLAN.md", content: `# Plan\n\n${open.join("\n")}\n` }, "Written.");
  for (const [at, { path, name, text }] of planned.entries()) {
    const line = `export function ${name}(${pick(words, random)}: string, depth = ${Math.floor(random() * 900) + 100}) {`;
    const rest = filler(30 + Math.floor(random() * 50));
    call("read_file", { path }, [...filler(12), line, ...rest, "}"].join("\n"));
    edit(path, line, `${line} // moved\n${filler(4).join("\n")}`);
    call("run_tests", { path }, [...filler(10 + Math.floor(random() * 20)), `ok ${at}: ${name}`].join("\n"));
    edit("PLAN.md", `- [ ] ${text}`, `- [x] ${text}`);
  }
  messages.push(new AIMessage({ id: "end", content: "All of the plan is done." }));
  return { set: "generated, planned", id: `seed-${seed}`, messages };
}
