import { checkHealth } from "@palimpsest/checkpoint";
import { renderTable, terminalText } from "../terminal-text.js";
import { columnsOf, countOption, type Verb } from "../verb.js";

/** Asks a storage whether it reads and writes. */
export const health: Verb = {
  name: "health",
  description: "Read and write once, and say how long it took; touches no thread",
  args: [],
  options: [
    ["--timeout <milliseconds>", "time that one check may take", "5000"],
    ["--read-only", "only read, for a replica or a storage that others write"],
  ],
  canWrite: true,
  readsWith: "readOnly",
  async run({ saver, options, terminal }) {
    const timeoutMs = countOption(options, "timeout");
    const readOnly = options["readOnly"] === true;
    const { isHealthy, checks } = await checkHealth(saver, { timeoutMs, readOnly });
    const cells = checks.map(({ name, ms, error }) => [name, ms.toFixed(1), error?.message ?? "ok"]);
    const table = renderTable(["check", "ms", "result"], cells, columnsOf({ terminal }));
    const data = checks.map(({ name, ms, error }) => ({ name, ms, error: error?.message ?? null }));
    return { data: { isHealthy, checks: data }, text: terminalText(table), isFailure: !isHealthy };
  },
};
