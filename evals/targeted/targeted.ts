import { join } from "node:path";
import { safeName } from "@palimpsest/vfs/internal";
import { reportFolder } from "../report/kept-runs.js";
import { number, readOptions, text } from "../run/read-options.js";
import type { Suite, SuiteResult } from "../suite.js";
import { deepAgentsAgent } from "./agents/deep-agents-agent.js";
import { palimpsestAgent } from "./agents/palimpsest-agent.js";
import { rowLog } from "./live/row-log.js";
import { play, rowName, type Player } from "./play.js";
import { reportTargeted } from "./report-targeted.js";
import { scripted, type TargetedRow } from "./row.js";
import { targetedTasks } from "./tasks/index.js";

const systems = [palimpsestAgent, deepAgentsAgent];
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
  const { log: path, only, repeat, ...values } = readOptions(args, usage);
  const player = playerOf(values);
  const tasks = targetedTasks(data).filter(({ name }) => name.includes(only));
  const chosen = quick ? tasks.filter(({ name }) => !name.includes("trigger")) : tasks;
  if (chosen.length === 0) throw new Error(`No task has "${only}" in its name`);
  const repetitions = Array.from({ length: player === undefined ? 1 : repeat }, (_, at) => at);
  const plays = chosen.flatMap((task) =>
    systems.flatMap((system) => repetitions.map((repetition) => ({ task, system, repetition, player }))),
  );
  const log = player && rowLog(path ?? join(reportFolder, `targeted-${safeName(player.name)}.jsonl`));
  const rows: TargetedRow[] = [];
  for (const one of plays) {
    progress(`${rows.length}/${plays.length} ${one.system.name}, ${one.task.name}`);
    const known = log?.get(rowName(one));
    const row = known ?? (await play(one));
    if (known === undefined) log?.add(row);
    rows.push(row);
  }
  const prices = { input: values["price-in"], output: values["price-out"] };
  return reportTargeted(rows, { player: player?.name ?? scripted, prices });
};

function playerOf({
  model: name,
  "base-url": baseUrl,
  judge,
}: Pick<ReturnType<typeof readOptions<typeof usage>>, "model" | "base-url" | "judge">): Player | undefined {
  if (name === undefined) return undefined;
  return { name, ...(baseUrl === undefined ? {} : { baseUrl }), ...(judge === undefined ? {} : { judge }) };
}
