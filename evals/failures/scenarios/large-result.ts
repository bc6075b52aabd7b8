import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { rows } from "../world/rows.js";
import { call, script, type Step } from "../world/script.js";
import { textTool } from "../world/text-tool.js";

const needle = "needle-value-4711";

export interface LargeResultOptions {
  readonly title: string;
  /** Returns the result with these rows in it. */
  readonly textOf: (rows: readonly string[]) => string;
}

/** Returns a scenario in which the agent looks for a value in a large result, with its own search and reading. */
export function largeResult({ title, textOf }: LargeResultOptions): Scenario {
  return {
    title,
    peer: "deepagents",
    buildPeer: deepAgent,
    world() {
      const data = rows("json", 13_000);
      const around = [...data.slice(0, 6_500), `here is the ${needle}`, ...data.slice(6_500)];
      return {
        tools: [textTool("fetch", () => textOf(around))],
        reply: script(
          call("fetch", { page: 0 }),
          look("grep", { pattern: "needle-value" }),
          look("read_file", { offset: 6_450, limit: 100 }),
        ),
        originals: data,
        shown: [data[0] ?? "", needle],
      };
    },
    play: (agent) => agent.run([new HumanMessage("What is the needle value?")]),
  };
}

/** Returns a step that calls a tool on the file of the offloaded result. */
function look(tool: string, args: Record<string, unknown>): Step {
  return function callTool(prompt) {
    const path = offloadedPath(prompt);
    return call(tool, { ...args, path, file_path: path });
  };
}

/** Returns the path that the stand-in of an offloaded result tells. */
export function offloadedPath(prompt: readonly BaseMessage[]): string {
  const texts = prompt.filter((message) => message.getType() === "tool").map(({ text }) => text);
  return /\/(?:context\/results|large_tool_results)\/[\w./-]*\w/.exec(texts.join("\n"))?.[0] ?? "/none";
}
