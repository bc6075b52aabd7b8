import { parseArgs } from "node:util";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What the command line asks for. */
export interface CliOptions {
  /** Prints one JSON object as the last line of stdout; everything else goes to stderr. */
  readonly json: boolean;
  /** Folder of packages: a `node_modules`, or any folder of folders with a package.json. */
  readonly dir: string;
  /** Tokens of the context window. */
  readonly window: number;
  /** Packages to audit at most. */
  readonly packages: number;
  /** Model of an OpenAI-compatible server; undefined for the offline model. */
  readonly model: string | undefined;
  /** Folder where the database, the report and the result stay. */
  readonly keep: string | undefined;
}

const brand = Symbol.for("palimpsest.examples.UsageError");

/** A command line that cannot be run. Its message says which part, and the way out. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "usage";
  readonly [brand] = true;

  static isInstance(error: unknown): error is UsageError {
    return typeof error === "object" && error !== null && brand in error;
  }
}

export const usage = `Usage: tsx examples/deep-agent/main.ts [options]

  --json           print one JSON object as the last line, progress to stderr
  --dir DIR        folder of packages to audit          (default: node_modules of this repository)
  --packages N     packages to audit                    (default: 36)
  --window N       context window in tokens             (default: 32000)
  --model NAME     a model of an OpenAI-compatible server; needs OPENAI_API_KEY
                   (default: the offline model, or gpt-4.1-mini when OPENAI_API_KEY is set)
  --offline        the offline model, whatever the environment says
  --keep DIR       keep the database, the report and the result in a folder
  --help           show this`;

/** Model for an `OPENAI_API_KEY` without `--model`. */
export const defaultModel = "gpt-4.1-mini";
/** Below this, job, tools and the newest results leave no room to work. In tokens. */
export const smallestWindow = 16_000;

/**
 * Returns the options of a command line, or "help".
 * @throws UsageError for unknown flags, bad values and folders that are not there.
 */
export function parseCliOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): CliOptions | "help" {
  const values = parse(args);
  if (values.help === true) return "help";
  const dir = values.dir ?? fileURLToPath(new URL("../../node_modules", import.meta.url));
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`--dir: ${dir} is not a folder. Name a folder of packages, or install first.`);
  const key = environment["OPENAI_API_KEY"];
  const hasKey = key !== undefined && key !== "";
  if (values.model !== undefined && values.offline === true)
    throw new UsageError("--model and --offline exclude each other. Give one of them.");
  if (values.model !== undefined && !hasKey)
    throw new UsageError(`--model ${values.model} needs OPENAI_API_KEY. Set it, or leave --model out.`);
  const online = hasKey && values.offline !== true;
  return {
    json: values.json === true,
    dir,
    window: wholeNumber("--window", values.window ?? "32000", smallestWindow),
    packages: wholeNumber("--packages", values.packages ?? "36", 1),
    model: online ? (values.model ?? defaultModel) : undefined,
    keep: values.keep,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        json: { type: "boolean" },
        dir: { type: "string" },
        window: { type: "string" },
        packages: { type: "string" },
        model: { type: "string" },
        offline: { type: "boolean" },
        keep: { type: "string" },
        help: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function wholeNumber(flag: string, text: string, least: number): number {
  const value = Number(text.replaceAll("_", () => ""));
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`${flag} ${text} is not a whole number of at least ${least}.`);
}
