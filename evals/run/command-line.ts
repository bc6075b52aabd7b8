/** The parsed command line of `npm run eval` or `npm run bench`. */
export interface CommandLine {
  /** Names before the first option. */
  readonly names: readonly string[];
  readonly data?: string;
  /** The `report.json` of an earlier run to compare with. */
  readonly compare?: string;
  readonly quick: boolean;
  readonly json: boolean;
  readonly readme: boolean;
  readonly help: boolean;
  /** Everything else, for the suite. */
  readonly args: readonly string[];
}

/**
 * Returns the parts of a command line. Pure.
 *
 * @throws Error for `--data` without a folder or `--compare` without a file.
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const first = argv.findIndex((arg) => arg.startsWith("-"));
  const names = first === -1 ? argv : argv.slice(0, first);
  const rest = argv.slice(names.length);
  const data = takePath(rest, "--data", "folder");
  const compare = takePath(rest, "--compare", "file");
  const has = (name: string) => rest.includes(name);
  const own = new Set(["--quick", "--json", "--readme", "--help"]);
  return {
    names,
    ...(data === undefined ? {} : { data }),
    ...(compare === undefined ? {} : { compare }),
    quick: has("--quick"),
    json: has("--json"),
    readme: has("--readme"),
    help: has("--help"),
    args: rest.filter((arg) => !own.has(arg)),
  };
}

/** Takes `--name PATH` or `--name=PATH` out of the arguments and returns the path; undefined without it. */
function takePath(args: string[], name: string, kind: "folder" | "file"): string | undefined {
  const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  if (at === -1) return undefined;
  const [option = "", next] = args.splice(at, args[at] === name ? 2 : 1);
  const path = option === name ? next : option.slice(name.length + 1);
  if (path !== undefined && path !== "" && !path.startsWith("--")) return path;
  throw new Error(`${name} has no ${kind}: use ${name} ${kind === "folder" ? "DIR" : "FILE"}`);
}
