/** The facts that the report needs, by the names that notes, subagent reports and the model's own words use. */
export const factNames = ["licence", "version", "entry", "largest", "imported by", "symbol"] as const;

/** What is known about one package: fact name or bookmark -> value. */
export type Known = Readonly<Record<string, string>>;

/**
 * What the model is doing and has found so far. It says so in every message, as agents do: its last message is always in
 * view, so that a compaction in the middle of a package costs it nothing.
 */
export interface Ledger {
  readonly activity: string;
  /** Package name -> what is known. */
  readonly known: ReadonlyMap<string, Known>;
}

/** Returns the ledger as the model words it. */
export function sayLedger(ledger: Ledger): string {
  const blocks = [...ledger.known].map(([name, known]) =>
    [`Known about ${name}:`, ...factLines(known)].join("\n"),
  );
  return [`Now: ${ledger.activity}.`, ...blocks].join("\n");
}

/** One line per fact, such as `- licence: MIT`. */
export function factLines(known: Known): string[] {
  return Object.entries(known).map(([key, value]) => `- ${key}: ${value}`);
}

/** Returns the ledger in a message of the model, or undefined when it states none. Inverse of `sayLedger`. */
export function readLedger(said: string): Ledger | undefined {
  const lines = said.split("\n");
  const start = lines.findIndex((line) => line.startsWith("Now: "));
  if (start < 0) return undefined;
  const activity = (lines[start] ?? "").slice("Now: ".length, -1);
  const known = new Map<string, Known>();
  let name = "";
  for (const line of lines.slice(start + 1)) {
    const heading = /^Known about (\S+):$/.exec(line);
    if (heading !== null) {
      name = heading[1] ?? "";
      known.set(name, {});
    } else known.set(name, { ...known.get(name), ...readFactLine(line) });
  }
  return { activity, known };
}

/** The fact in a line such as `- licence: MIT`; empty when the line states none. */
export function readFactLine(line: string): Known {
  const match = /^\s*- ([a-z ]+): (.*)$/.exec(line);
  return match === null ? {} : { [match[1] ?? ""]: match[2] ?? "" };
}
