/** The parsed command line of `npm run eval` or `npm run bench`. */
export interface CommandLine {
  /** Names before the first option. */
  readonly names: readonly string[];
  readonly data?: string;
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
 * @throws Error for `--data` without a folder.
 */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const first = argv.findIndex((arg) => arg.startsWith("-"));
  const names = first === -1 ? argv : argv.slice(0, first);
  const rest = argv.slice(names.length);
  const at = rest.findIndex((arg) => arg === "--data" || arg.startsWith("--data="));
  const [option, value] = at === -1 ? [] : rest.splice(at, rest[at] === "--data" ? 2 : 1);
  const data = option?.startsWith("--data=") === true ? option.slice("--data=".length) : value;
  if (option !== undefined && (data === undefined || data === "" || data.startsWith("--")))
    throw new Error("--data has no folder: use --data DIR");
  const has = (name: string) => rest.includes(name);
  const own = new Set(["--quick", "--json", "--readme", "--help"]);
  return {
    names,
    ...(data === undefined ? {} : { data }),
    quick: has("--quick"),
    json: has("--json"),
    readme: has("--readme"),
    help: has("--help"),
    args: rest.filter((arg) => !own.has(arg)),
  };
}
