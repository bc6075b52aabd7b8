/** Maximum characters of a path that a glob matches. The paths come from the model; no file has a longer one. */
const maxPath = 4_096;

/**
 * Returns a test of paths against a whole path or a glob, from the root on: `*` and `?` stand for characters of one name, `**`
 * for any number of names. `AGENTS.md` means `/AGENTS.md`. The test resolves `.` and `..`. Pure; the test takes time in the
 * product of both lengths at most.
 */
export function pathGlob(glob: string): (path: string) => boolean {
  const wanted = glob.split("/").filter((name) => name !== "" && name !== ".");
  return (path) => {
    const names = path.length > maxPath ? undefined : namesOf(path);
    return (
      names !== undefined && matchAll(names, wanted, { isAny: (name) => name === "**", isOne: matchName })
    );
  };
}

/** Returns the names of a path, or undefined when it leaves the root. */
function namesOf(path: string): readonly string[] | undefined {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names;
}

function matchName(name: string, wanted: string): boolean {
  return matchAll(Array.from(name), Array.from(wanted), {
    isAny: (character) => character === "*",
    isOne: (character, one) => one === "?" || one === character,
  });
}

interface Wildcards {
  /** True for the part of a pattern that stands for any number of items. */
  readonly isAny: (part: string) => boolean;
  /** True when an item matches any other part. */
  readonly isOne: (item: string, part: string) => boolean;
}

/**
 * Matches items to the parts of a pattern. Retries only the last wildcard, so the time is at most the product of both lengths.
 */
function matchAll(items: readonly string[], parts: readonly string[], { isAny, isOne }: Wildcards): boolean {
  let [item, part] = [0, 0];
  let retry: { item: number; readonly part: number } | undefined;
  while (item < items.length) {
    const wanted = parts[part];
    if (wanted !== undefined && isAny(wanted)) retry = { item, part: ++part };
    else if (wanted !== undefined && isOne(items[item] ?? "", wanted)) [item, part] = [item + 1, part + 1];
    else if (retry) [item, part] = [++retry.item, retry.part];
    else return false;
  }
  return parts.slice(part).every(isAny);
}
