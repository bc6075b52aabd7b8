import type { BaseMessage } from "@langchain/core/messages";
import type { Scenario } from "../scenario.js";
import { rows } from "../world/rows.js";
import { call, script, type Step } from "../world/script.js";
import { textTool } from "../world/text-tool.js";
import type { StorageState } from "../world/world.js";
import { inDeepAgents } from "./peers.js";
import { asking } from "./asking.js";

const needle = "needle-value-4711";

interface LargeResultOptions {
  readonly title: string;
  /** Returns the result with these rows in it. */
  readonly textOf: (rows: readonly string[]) => string;
}

/** Returns a scenario in which the agent looks for a value in a large result, with its own search and reading. */
function largeResult({ title, textOf }: LargeResultOptions): Scenario {
  return {
    title,
    ...inDeepAgents,
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
    play: asking("What is the needle value?"),
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
function offloadedPath(prompt: readonly BaseMessage[]): string {
  const texts = prompt.filter((message) => message.getType() === "tool").map(({ text }) => text);
  return /\/(?:context\/results|large_tool_results)\/[\w./-]*\w/.exec(texts.join("\n"))?.[0] ?? "/none";
}

export const oneLineJson: Scenario = largeResult({
  title: "A value in the middle of an 800 KB JSON on one line",
  textOf: (rows) => JSON.stringify({ rows }),
});

export const manyLines: Scenario = largeResult({
  title: "A value in the middle of an 800 KB text of many lines",
  textOf: (rows) => rows.join("\n"),
});

/** A result that no window and no checkpoint should ever hold. */
export const fiftyMegabytes: Scenario = {
  title: "A result of 50 MB",
  ...inDeepAgents,
  world() {
    const data = rows("huge", 500, 100_000);
    return {
      tools: [textTool("huge", () => data.join("\n"))],
      reply: script(call("huge", { page: 0 })),
      originals: data,
      shown: [data[0]?.slice(0, 40) ?? ""],
      window: 100_000,
      limit: 100_000,
    };
  },
  play: asking("Read it."),
  async measure(agent) {
    const bytes = agent.storedBytes();
    return { text: `${(bytes / 1e6).toFixed(1)} MB of checkpoints`, sound: bytes < 1e6 };
  },
};

const heads = ["cost: $& each", "paid $' twice", "left $` over", "total $$ 40"];

/** Text that `String.replace` takes for instructions. */
export const replacementPatterns: Scenario = {
  title: "`$&` and the like at the head of a large result",
  ...inDeepAgents,
  world() {
    const data = rows("price", 2_000);
    return {
      tools: [textTool("prices", () => [...heads, ...data].join("\n"))],
      reply: script(call("prices", { page: 0 })),
      originals: [...heads, ...data],
      shown: heads,
    };
  },
  play: asking("Read the prices."),
};

/** A provider that numbers the calls of each turn anew. */
export const reusedCallId: Scenario = {
  title: "The same tool call id in two turns, both results large",
  ...inDeepAgents,
  world() {
    const pages = [rows("first", 2_000), rows("second", 2_000)];
    const again = { id: "call_0" };
    return {
      tools: [textTool("book", (page) => (pages[page] ?? []).join("\n"))],
      reply: script(call("book", { page: 0 }, again), call("book", { page: 1 }, again)),
      originals: pages.flat(),
      shown: pages.map(([head = ""]) => head),
    };
  },
  play: asking("Read both pages."),
};

/** An agent that tidies up what was offloaded for it. */
export const agentDeletesArchive: Scenario = {
  title: "The agent overwrites and deletes what was offloaded",
  ...inDeepAgents,
  world() {
    const data = rows("log", 2_000);
    return {
      tools: [textTool("log", () => data.join("\n"))],
      reply: script(
        call("log", { page: 0 }),
        (prompt) => tidy("edit_file", offloadedPath(prompt)),
        (prompt) => tidy("write_file", offloadedPath(prompt)),
        (prompt) => tidy("delete", offloadedPath(prompt)),
      ),
      originals: data,
      shown: data.slice(0, 1),
    };
    function tidy(tool: string, path: string) {
      const change = { old_string: data[1_000], new_string: "", content: "" };
      return call(tool, { path, file_path: path, ...change });
    }
  },
  play: asking("Read the log and tidy up."),
};

/** Returns a scenario in which a large result arrives and nothing can be stored. */
function brokenStorage(storage: StorageState, title: string): Scenario {
  return {
    title,
    ...inDeepAgents,
    world() {
      const data = rows("log", 2_000);
      return {
        tools: [textTool("log", () => data.join("\n"))],
        reply: script(call("log", { page: 0 })),
        originals: data,
        shown: data.slice(0, 1),
        storage,
      };
    },
    play: asking("Read the log."),
  };
}

export const storageThrows: Scenario = brokenStorage("throws", "A large result while every write throws");

export const storageRefuses: Scenario = brokenStorage(
  "refuses",
  "A large result while every write is refused",
);
