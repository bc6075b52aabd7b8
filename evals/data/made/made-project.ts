import { pick } from "../pick.js";
/** A generated source tree that changes as an agent edits it. */
export interface MadeProject {
  readonly paths: readonly string[];
  /** Returns the lines of a file as they are now. */
  lines(path: string): readonly string[];
  /** Replaces lines of a file and returns the new ones. */
  edit(path: string, from: number, count: number): readonly string[];
}

const nouns = ["parser", "ledger", "router", "cursor", "schema", "cipher", "widget", "broker", "planner"];
const verbs = ["resolve", "collect", "compare", "rewrite", "measure", "publish", "recover", "balance"];

/** Returns a project of `files` files. Similar lines occur in several of them, as distractors. */
export function makeProject(random: () => number, files = 24): MadeProject {
  let serial = 0;
  const line = (): string => {
    serial++;
    const call = `${pick(verbs, random)}${capital(pick(nouns, random))}`;
    const twin = random() < 0.3 ? Math.floor(serial / 2) : serial;
    return `  const ${pick(nouns, random)}_${twin} = ${call}(input${twin}, ${Math.floor(random() * 90_000)});`;
  };
  const paths = Array.from(
    { length: files },
    (_, index) => `src/${nouns[index % 9]}/${pick(verbs, random)}-${index}.ts`,
  );
  const contents = new Map(
    paths.map((path) => [path, Array.from({ length: 30 + Math.floor(random() * 120) }, line)]),
  );
  return {
    paths,
    lines: (path) => contents.get(path) ?? [],
    edit(path, from, count) {
      const changed = Array.from({ length: count }, line);
      contents.get(path)?.splice(from, count, ...changed);
      return changed;
    },
  };
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
