import type { BaseMessage } from "@langchain/core/messages";
import type { Scenario } from "../scenario.js";
import { oneResult, pagesTool, rows, textTool } from "../world/made-work.js";
import { call, script, type Step } from "../world/script.js";
import type { StorageState } from "../world/world.js";
import { asking, checkpointsBelow, inDeepAgents } from "./parts.js";

const needle = "needle-value-4711";

/** Returns a scenario in which the agent looks for a value in a large result, with its own search and reading. */
function needleIn(title: string, textOf: (rows: readonly string[]) => string): Scenario {
  return {
    title,
    ...inDeepAgents,
    world() {
      const data = rows("json", 13_000);
      const around = data.toSpliced(6_500, 0, `here is the ${needle}`);
      return {
        tools: [textTool("fetch", () => textOf(around))],
        reply: script(
          call("fetch", { page: 0 }),
          onOffloaded("grep", { pattern: "needle-value" }),
          onOffloaded("read_file", { offset: 6_450, limit: 100 }),
        ),
        originals: data,
        shown: [data[0] ?? "", needle],
      };
    },
    play: asking("What is the needle value?"),
  };
}

/** Returns a step that calls a tool on the file of the offloaded result. */
function onOffloaded(tool: string, args: Record<string, unknown>): Step {
  return function callTool(prompt) {
    const path = offloadedPath(prompt);
    return call(tool, { ...args, path, file_path: path });
  };
}

/** Returns the path that the stand-in of an offloaded result tells. */
function offloadedPath(prompt: readonly BaseMessage[]): string {
  const texts = prompt.filter((message) => message.getType() === "tool").map(({ text }) => text);
  return /\/(?:context\/results|large_tool_results)\/[\w./-]*\w/.exec(texts.join("\n"))?.[0] ?? "/none";
}

/** Text that `String.replace` takes for instructions. */
const heads = ["cost: $& each", "paid $' twice", "left $` over", "total $$ 40"];

/** Returns a scenario in which a large result arrives and nothing can be stored. */
function brokenStorage(storage: StorageState, title: string): Scenario {
  return {
    title,
    ...inDeepAgents,
    world: () => ({ ...oneResult("log", rows("log", 2_000)), storage }),
    play: asking("Read the log."),
  };
}

/** What becomes of a result that is too large for the prompt. */
export const largeResults: readonly Scenario[] = [
  needleIn("A value in the middle of an 800 KB JSON on one line", (rows) => JSON.stringify({ rows })),
  needleIn("A value in the middle of an 800 KB text of many lines", (rows) => rows.join("\n")),
  {
    // A result that no window and no checkpoint should ever hold.
    title: "A result of 50 MB",
    ...inDeepAgents,
    world() {
      const data = rows("huge", 500, 100_000);
      const shown = [data[0]?.slice(0, 40) ?? ""];
      return { ...oneResult("huge", data), shown, window: 100_000, limit: 100_000 };
    },
    play: asking("Read it.", async (agent) => checkpointsBelow(agent, 1e6)),
  },
  {
    title: "`$&` and the like at the head of a large result",
    ...inDeepAgents,
    world: () => ({ ...oneResult("prices", [...heads, ...rows("price", 2_000)]), shown: heads }),
    play: asking("Read the prices."),
  },
  {
    // A provider that numbers the calls of each turn anew.
    title: "The same tool call id in two turns, both results large",
    ...inDeepAgents,
    world: () => ({
      ...pagesTool("book", [rows("first", 2_000), rows("second", 2_000)]),
      reply: script(call("book", { page: 0 }, "call_0"), call("book", { page: 1 }, "call_0")),
    }),
    play: asking("Read both pages."),
  },
  {
    // An agent that tidies up what was offloaded for it.
    title: "The agent overwrites and deletes what was offloaded",
    ...inDeepAgents,
    world() {
      const data = rows("log", 2_000);
      const change = { old_string: data[1_000], new_string: "", content: "" };
      const tidying = ["edit_file", "write_file", "delete"].map((tool) => onOffloaded(tool, change));
      return oneResult("log", data, ...tidying);
    },
    play: asking("Read the log and tidy up."),
  },
  brokenStorage("throws", "A large result while every write throws"),
  brokenStorage("refuses", "A large result while every write is refused"),
];
