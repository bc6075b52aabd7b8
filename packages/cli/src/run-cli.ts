import { CheckpointError } from "@palimpsest/checkpoint";
import { ContextError } from "@palimpsest/context";
import { InspectorError } from "@palimpsest/inspector";
import { SessionError } from "@palimpsest/sessions";
import { FileError } from "@palimpsest/vfs";
import { Command, CommanderError } from "commander";
import { CliError, UsageError } from "./cli-error.js";
import { errorLines, type ErrorOutput } from "./error-lines.js";
import { openStorage } from "./open-storage.js";
import { secretOptions, secretsOf } from "./secrets.js";
import { terminalJson, terminalText } from "./terminal-text.js";
import type { FileVerb, Report, Verb, VerbInput } from "./verb.js";
import { audit } from "./sessions/audit/audit.js";
import { replay } from "./sessions/replay/replay.js";
import { mcp } from "./mcp/mcp.js";
import { version } from "./version.js";
import { backup } from "./verbs/backup.js";
import { bill } from "./verbs/bill.js";
import { consolidate } from "./verbs/consolidate.js";
import { diff } from "./verbs/diff.js";
import { erase } from "./verbs/removal/erase.js";
import { errors } from "./verbs/answers/errors.js";
import { exportThread } from "./verbs/export.js";
import { cat, files } from "./verbs/answers/files.js";
import { folds } from "./verbs/folds.js";
import { importThreads } from "./verbs/import.js";
import { health } from "./verbs/health.js";
import { inspect } from "./verbs/inspect.js";
import { prune } from "./verbs/removal/prune.js";
import { search } from "./verbs/search.js";
import { show } from "./verbs/show.js";
import { stats } from "./verbs/stats.js";
import { threads } from "./verbs/threads.js";
import { verify } from "./verbs/verify.js";
import { why } from "./verbs/answers/why.js";

const verbs: readonly Verb[] = [
  inspect,
  threads,
  show,
  folds,
  why,
  errors,
  files,
  cat,
  search,
  diff,
  bill,
  stats,
  exportThread,
  importThreads,
  consolidate,
  health,
  verify,
  prune,
  erase,
  backup,
  mcp,
];

/** Commands that need no storage. */
const fileVerbs: readonly FileVerb[] = [audit, replay];

/** Descriptions of the arguments of verbs, by name. */
const argumentHelp: Readonly<Record<string, string>> = {
  thread: "the id of a thread; `palimpsest threads` lists them",
  threads: "ids of threads (default: all)",
  step: "the number of a step, or the id of a checkpoint",
  "other-step": "the step to compare it with",
  paths: "sessions, or directories of sessions",
  message: "the id of a message, or its number in the whole thread, counted from 1",
  path: "the absolute path of a file; `palimpsest files` lists them",
  scope: "the name of the scope: a user, or a project",
  words: "words that a message has to contain",
  source:
    "a session, or a directory of sessions; the file of a SqliteSaver, the url of a PostgresSaver, or the dump of a MemorySaver",
  copy: "the path of a new file, or the url of an empty Postgres database",
};

const examples = `
Examples:
  palimpsest inspect agent.db
  palimpsest show agent.db thread-1 --at 40
  palimpsest verify postgres://localhost/agents
  palimpsest audit ~/.claude/projects/my-project/session.jsonl
  palimpsest import ~/.claude/projects agent.db`;

/** Where the command line prints. */
export interface CliOutput extends ErrorOutput {
  readonly write: (text: string) => void;
}

/** Runs one command and returns its exit code: 0, 1 for a failure or a finding, 2 for wrong arguments. */
export async function runCli(args: readonly string[], output: CliOutput): Promise<number> {
  let isFailure = false;
  const program = new Command("palimpsest")
    .description("Reads, searches, verifies and prunes the threads of a Palimpsest database.")
    .version(version(), "-V, --version", "print the version")
    .addHelpText("after", examples)
    .showHelpAfterError("Add --help for the arguments and options.")
    .configureOutput({ writeOut: output.write, writeErr: output.writeError })
    .exitOverride();
  const print = (report: Report, isJson: boolean): void => {
    output.write(isJson ? `${terminalJson(report.data, 2)}\n` : report.text);
    isFailure = report.isFailure ?? false;
  };
  for (const verb of verbs) {
    const command = program
      .command(verb.name)
      .argument("<storage>", "the path of a SQLite file, or the url of a Postgres database");
    addTo(command, verb);
    for (const option of secretOptions()) command.addOption(option);
    command.action(async (target: string, ...rest: unknown[]) => {
      const options = command.opts<Record<string, string | boolean>>();
      const given = rest.slice(0, verb.args.length).flat() as (string | undefined)[];
      print(await run(verb, { target, args: given, options, output }), options["json"] === true);
    });
  }
  for (const verb of fileVerbs) {
    const command = addTo(program.command(verb.name), verb);
    command.action(async (...rest: unknown[]) => {
      const options = command.opts<Record<string, string | boolean>>();
      const given = rest.slice(0, verb.args.length).flat() as (string | undefined)[];
      print(await runOnFiles(verb, { args: given, options, output }), options["json"] === true);
    });
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return isFailure ? 1 : 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    output.writeError(`palimpsest: ${terminalText(explain(error))}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Adds the arguments and options of a verb to its command. */
function addTo(command: Command, { description, args, options }: FileVerb | Verb): Command {
  command.description(description);
  for (const argument of args) command.argument(argument, argumentHelp[argument.replace(/\W+$|^\W/g, "")]);
  for (const [flags, about, fallback] of options) command.option(flags, about, fallback);
  return command.option("--json", "print JSON");
}

interface RunInput {
  readonly target: string;
  readonly args: readonly (string | undefined)[];
  readonly options: Readonly<Record<string, string | boolean>>;
  readonly output: CliOutput;
}

function canWrite(verb: Verb, options: VerbInput["options"]): Verb["canWrite"] {
  const isGiven = (flag: string | undefined) => flag !== undefined && options[flag] === true;
  if (isGiven(verb.readsWith)) return false;
  return isGiven(verb.writesWith) || verb.canWrite;
}

async function run(verb: Verb, { options, output, ...given }: RunInput): Promise<Report> {
  const { target, args } = (await verb.arrange?.(given.target, given.args)) ?? given;
  const secrets = secretsOf(options);
  await verb.check?.(args);
  const saver = await openStorage(target, { canWrite: canWrite(verb, options), secrets });
  const { end, ...lines } = errorLines(output);
  try {
    const terminal = output.terminal && { ...output.terminal, write: output.write };
    return await verb.run({ saver, target, args, options, secrets, ...lines, terminal });
  } finally {
    end();
    await saver.close();
  }
}

async function runOnFiles(verb: FileVerb, { output, ...input }: Omit<RunInput, "target">): Promise<Report> {
  const { end, ...lines } = errorLines(output);
  try {
    return await verb.run({ ...input, ...lines });
  } finally {
    end();
  }
}

/** Errors that say what to do need no stack trace. */
function explain(error: unknown): string {
  const isOurs =
    error instanceof CliError ||
    error instanceof InspectorError ||
    [CheckpointError, ContextError, FileError, SessionError].some((kind) => kind.isInstance(error));
  if (!(error instanceof Error)) return String(error);
  return isOurs ? error.message : (error.stack ?? error.message);
}
