import { join } from "node:path";

import { reportFolder } from "../report/kept-runs.js";
import { safeName } from "@palimpsest/vfs/internal";
import type { Suite, SuiteResult } from "../suite.js";
import { rowLog, type RowLog } from "./live/row-log.js";
import { play, type Player } from "./play.js";
import { reportTargeted } from "./report-targeted.js";
import { rowKey, type TargetedRow } from "./row.js";
import { systems } from "./systems.js";
import { targetedTasks } from "./tasks/index.js";
import { number, readOptions, text } from "../run/read-options.js";

const usage = {
  model: text(undefined),
  "base-url": text(undefined),
  judge: text(undefined),
  repeat: number(1, 1),
  only: text(""),
  log: text(undefined),
  "price-in": number(0, 0),
  "price-out": number(0, 0),
};

/**
 * The targeted evals of Deep Agents and LangChain's five tests, on Palimpsest and on deepagents. With a scripted agent,
 * or: `--model NAME [--base-url URL] [--judge NAME] [--repeat N] [--only TEXT] [--log FILE] [--price-in USD]
 * [--price-out USD]`; prices are for a million tokens. Rows of a model are kept at once in the log and not played again.
 */
export const targeted: Suite = async ({ data, quick = false, args, progress }): Promise<SuiteResult> => {
  const values = readOptions(args, usage);
  const player = playerOf(values);
  const tasks = targetedTasks(data).filter(({ name }) => name.includes(values.only));
  const chosen = quick ? tasks.filter(({ name }) => !name.includes("trigger")) : tasks;
  if (chosen.length === 0) throw new Error(`No task has "${values.only}" in its name`);
  const repeat = player === undefined ? 1 : values.repeat;
  const log = logOf(player, values.log);
  const stop = new AbortController();
  const onStop = () => stop.abort(new Error("stopped; what was played is kept: run it again to go on"));
  process.once("SIGINT", onStop);
  const rows: TargetedRow[] = [];
  const total = chosen.length * systems.length * repeat;
  try {
    for (const task of chosen) {
      for (const system of systems) {
        for (let repetition = 0; repetition < repeat; repetition++) {
          stop.signal.throwIfAborted();
          progress(`${rows.length}/${total} ${system.name}, ${task.name}`);
          const key = rowKey({
            task: task.name,
            system: system.name,
            player: player?.name ?? "scripted",
            repetition,
          });
          const known = log?.get(key);
          const options = { task, system, repetition, signal: stop.signal };
          const row = known ?? (await play(player === undefined ? options : { ...options, player }));
          if (known === undefined) log?.add(row);
          rows.push(row);
        }
      }
    }
  } finally {
    process.off("SIGINT", onStop);
  }
  const prices = { input: values["price-in"], output: values["price-out"] };
  return reportTargeted(rows, { player: player?.name ?? "scripted", prices });
};

function playerOf(values: ReturnType<typeof readOptions<typeof usage>>): Player | undefined {
  const { model: name, "base-url": baseUrl, judge } = values;
  if (name === undefined) return undefined;
  return { name, ...(baseUrl === undefined ? {} : { baseUrl }), ...(judge === undefined ? {} : { judge }) };
}

function logOf(player: Player | undefined, path: string | undefined): RowLog | undefined {
  if (player === undefined) return undefined;
  return rowLog(path ?? join(reportFolder, `targeted-${safeName(player.name)}.jsonl`));
}
