import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ReuseIndex, selectContext } from "@palimpsest/context/selection";
import { cpuMs } from "../bench/measures/median-ms.js";

export interface HorizonOptions {
  /** Lengths at which selections are measured, ascending. */
  readonly steps: readonly number[];
  readonly budget: number;
  readonly progress: (line: string) => void;
}

export interface HorizonPoint {
  readonly steps: number;
  readonly budget: number;
  /** Largest of the selections, tokens of four characters. */
  readonly tokens: number;
  readonly medianMs: number;
  readonly slowestMs: number;
  /** Mean of the appends since the point before. */
  readonly appendMs: number;
  /** Of a step with a new selection. */
  readonly stepMs: number;
  readonly heapMb: number;
}

/** Selections that are measured at each length. */
const samples = 40;

/** Returns what selections cost as one generated thread grows. */
export function measureHorizon({ steps, budget, progress }: HorizonOptions): readonly HorizonPoint[] {
  const index = new ReuseIndex();
  index.append([new HumanMessage("Audit every module for unsafe retries. Never change a test.")]);
  let done = 0;
  return steps.map((length) => {
    let appends = 0;
    const from = done;
    const times: number[] = [];
    let most = 0;
    for (; done < length; done++) {
      const made = stepMessages(done);
      const start = cpuMs();
      index.append(made);
      appends += cpuMs() - start;
      if (done < length - samples) continue;
      const before = cpuMs();
      most = Math.max(most, selectContext(index, { budget }).tokens);
      times.push(cpuMs() - before);
    }
    times.sort((a, b) => a - b);
    progress(`horizon: ${length} steps`);
    const medianMs = times[Math.floor(times.length / 2)] ?? 0;
    const appendMs = appends / Math.max(1, length - from);
    return {
      steps: length,
      budget,
      tokens: most,
      medianMs,
      slowestMs: times.at(-1) ?? 0,
      appendMs,
      stepMs: appendMs + medianMs,
      heapMb: process.memoryUsage().heapUsed / 2 ** 20,
    };
  });
}

/** A step that reads a file, some 500 tokens; one in five comes back to a file of long ago. */
function stepMessages(step: number): readonly BaseMessage[] {
  const file = step % 5 === 0 ? Math.floor(step / 7) : step;
  const path = `/src/area_${file % 97}/module_${file}.ts`;
  const lines = Array.from(
    { length: 40 },
    (_, line) => `  const retryLimit_${file}_${line} = limitOf(service_${file % 977}, ${file * 31 + line});`,
  );
  const id = `call-${step}`;
  return [
    new AIMessage({
      id: `a${step}`,
      content: `Reading ${path}.`,
      tool_calls: [{ id, name: "read_file", args: { path } }],
    }),
    new ToolMessage({ id: `r${step}`, content: lines.join("\n"), tool_call_id: id, name: "read_file" }),
  ];
}
