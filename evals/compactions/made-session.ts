import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { randomFrom } from "../data/random-from.js";
import type { Trajectory } from "../data/trajectory.js";

const files = 14;
const linesOfFile = 30;
const steps = 40;
/** Files that the summary names, and how often one of them, or another, is read again. */
const named = 5;
const readAgain = { named: 0.8, other: 0.1 };

/** Returns a generated session of an agent that reads and edits files, is compacted, and reads again what its summary names. */
export function madeSession(seed: number): Trajectory {
  const random = randomFrom(seed);
  const pathOf = (file: number) => `/project/src/module-${seed}-${file}.ts`;
  const lineOf = (file: number, line: number) =>
    `export const value_${seed}_${file}_${line} = ${(file * 7_919 + line * 131 + seed) % 99_991};`;
  const messages: BaseMessage[] = [
    new HumanMessage({ id: "user", content: "Port the project, one module after the other." }),
  ];
  const call = (name: string, args: Record<string, unknown>, result: string) => {
    const id = `call-${messages.length}`;
    const said = `Next comes ${String(args["file_path"])}.`;
    messages.push(
      new AIMessage({ id: `a-${id}`, content: said, tool_calls: [{ id, name, args, type: "tool_call" }] }),
      new ToolMessage({ id: `t-${id}`, name, tool_call_id: id, content: result }),
    );
  };
  const read = (file: number) => {
    const lines = Array.from({ length: linesOfFile }, (_, line) => `${line + 1}→${lineOf(file, line)}`);
    call("Read", { file_path: pathOf(file) }, lines.join("\n"));
  };
  const edit = (file: number) => {
    const old = lineOf(file, Math.floor(random() * linesOfFile));
    call("Edit", { file_path: pathOf(file), old_string: old, new_string: `${old} // ported` }, "Done.");
  };
  const touched: number[] = [];
  for (let step = 0; step < steps; step++) {
    const file = Math.floor(random() * files);
    touched.push(file);
    read(file);
    if (step % 3 === 0) edit(file);
  }
  const before = messages.length;
  const current = [...new Set(touched.toReversed())].slice(0, named);
  for (const file of new Set(touched))
    if (random() < (current.includes(file) ? readAgain.named : readAgain.other)) read(file);
  edit(current[0] ?? 0);
  const summary = `The agent ports modules. It works on ${current.map(pathOf).join(", ")}, and goes on with ${pathOf(current[0] ?? 0)}.`;
  return { set: "generated", id: `made-${seed}`, messages, compactions: [{ before, summary }] };
}
