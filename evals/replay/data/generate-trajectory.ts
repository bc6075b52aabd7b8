import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { Trajectory } from "./trajectory.js";

export interface GenerateOptions {
  readonly seed: number;
  /** Calling steps. @default 120 */
  readonly steps?: number;
}

/** Returns a made-up run of a coding agent: searches, file reads of very different sizes, edits with their text. */
export function generateTrajectory({ seed, steps = 120 }: GenerateOptions): Trajectory {
  const random = randomFrom(seed);
  const messages: BaseMessage[] = [
    new HumanMessage({
      id: "h0",
      content: "Port the parser. Never touch files under vendor. Keep the public names.",
    }),
  ];
  for (let step = 0; step < steps; step++) {
    const calls = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, at) => callOf(step, at, random));
    messages.push(
      new AIMessage({
        id: `a${step}`,
        content: `Step ${step}: look at module ${step % 17}.`,
        tool_calls: calls,
      }),
    );
    for (const call of calls) {
      const lines = Math.ceil(2 + 400 * random() ** 6);
      const content = Array.from({ length: lines }, (_, line) => sourceLine(step, line, random)).join("\n");
      messages.push(new ToolMessage({ id: `t-${call.id}`, name: call.name, tool_call_id: call.id, content }));
    }
    if (step % 30 === 29)
      messages.push(new HumanMessage({ id: `h${step}`, content: `Now also handle case ${step}.` }));
  }
  messages.push(new AIMessage({ id: "end", content: "All modules are ported." }));
  return { set: "generated", id: `seed-${seed}`, messages };
}

function callOf(step: number, at: number, random: () => number) {
  const id = `call-${step}-${at}`;
  const path = `src/module-${step % 17}.ts`;
  if (random() < 0.6) return { id, type: "tool_call" as const, name: "read_source", args: { path } };
  const content = Array.from({ length: 60 }, (_, line) => sourceLine(step, line, random)).join("\n");
  return { id, type: "tool_call" as const, name: "write_source", args: { path, content } };
}

function sourceLine(step: number, line: number, random: () => number): string {
  return `  const value${step}_${line} = parse(token${Math.floor(random() * 1e6)}, ${Math.floor(random() * 9_999)});`;
}

/** A small generator of pseudo-random numbers (mulberry32), so that a seed always gives the same run. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
