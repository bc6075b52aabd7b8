import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { VfsSaver } from "@palimpsest/checkpoint";
import picocolors from "picocolors";
import { chatModel } from "./chat-model.js";
import { type CliOptions, UsageError, parseCliOptions, usage } from "./cli-options.js";
import { problemsOf } from "./demo-result.js";
import { chooseJob } from "./job/choose-job.js";
import { findPackages } from "./job/find-packages.js";
import { type DemoOutcome, mainThread, runDemo } from "./run-demo.js";
import { liveView } from "./view/live-view.js";
import { plainView } from "./view/plain-view.js";
import { resultTable } from "./view/result-table.js";
import { type View } from "./view/view.js";

/** The process as the command line sees it. */
export interface CliProcess {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs the command line and returns the exit code: 0 all right, 1 a wrong result, 2 a command line that cannot be run. */
export async function runCli(args: readonly string[], { stdout, stderr, env }: CliProcess): Promise<number> {
  try {
    const options = parseCliOptions(args, env);
    if (options === "help") {
      stdout.write(`${usage}\n`);
      return 0;
    }
    const view = viewFor(options, options.json ? stderr : stdout);
    const outcome = await runJob(options, view);
    const problems = report(outcome, view);
    if (options.json) stdout.write(`${JSON.stringify(outcome.result)}\n`);
    return problems === 0 ? 0 : 1;
  } catch (error) {
    const isUsage = UsageError.isInstance(error);
    const message = error instanceof Error ? error.message : String(error);
    stderr.write(isUsage ? `${message}\n\n${usage}\n` : `The run failed: ${message}\n`);
    return isUsage ? 2 : 1;
  }
}

function viewFor({ window }: CliOptions, stream: NodeJS.WriteStream): View {
  const colors = picocolors.createColors(stream.isTTY && picocolors.isColorSupported);
  const options = { stream, colors, window, mainThread };
  return stream.isTTY ? liveView(options) : plainView(options);
}

async function runJob(options: CliOptions, view: View): Promise<KeptOutcome> {
  const { dir, window: contextWindow, model: name, keep } = options;
  const packages = chooseJob(findPackages(dir), options.packages);
  if (packages.length === 0)
    throw new UsageError(`--dir: ${dir} holds no package with sources. Name a folder such as node_modules.`);
  const model =
    name === undefined ? "the offline model" : `${name} through the OpenAI API (--offline runs without it)`;
  view.print([
    `Auditing ${packages.length} packages in ${dir} with ${model}, window ${contextWindow} tokens`,
  ]);
  const database = join(keep ?? mkdtempSync(join(tmpdir(), "palimpsest-demo-")), "agent.db");
  mkdirSync(dirname(database), { recursive: true });
  const saver = VfsSaver.fromPath(database);
  const outcome = await runDemo({
    packages,
    contextWindow,
    model: await chatModel({ name, contextWindow }),
    saver,
    compare: name === undefined,
    watch: view.watch,
  });
  await saver.close();
  if (keep !== undefined) keepOutcome(keep, outcome);
  return { ...outcome, database };
}

/** The outcome, and the database that holds the run. */
interface KeptOutcome extends DemoOutcome {
  readonly database: string;
}

function keepOutcome(folder: string, { report: text, result }: DemoOutcome): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "report.md"), text);
  writeFileSync(join(folder, "result.json"), `${JSON.stringify(result, undefined, 2)}\n`);
}

/** Shows the table and what went wrong; returns how many things did. */
function report({ result, score, differences, database }: KeptOutcome, view: View): number {
  view.end();
  const problems = [
    ...problemsOf(result),
    ...score.wrong
      .slice(0, 20)
      .map(({ about, expected, found }) => `${about}: "${found}", expected "${expected}"`),
    ...differences,
  ];
  view.print([
    "",
    ...resultTable(result, view.colors),
    "",
    ...problems,
    ...(problems.length > 0 ? [""] : []),
    "See what the agent was sent at every step, and what it folded:",
    `  npm run inspect -- ${database} --window ${result.windowTokens}`,
    "",
  ]);
  return problems.length;
}
