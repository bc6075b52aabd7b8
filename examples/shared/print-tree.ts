import type { RunnableConfig } from "@langchain/core/runnables";
import type { VfsSaver } from "@palimpsest/checkpoint";

interface Branch {
  readonly name: string;
  readonly below: readonly Branch[];
}

/** Prints the named checkpoints of a thread as a tree, each below the nearest one that it was made from. */
export async function printTree(
  saver: VfsSaver,
  named: Readonly<Record<string, RunnableConfig>>,
): Promise<void> {
  const names = new Map(Object.entries(named).map(([name, config]) => [idOf(config), name]));
  const parents = new Map<string, string>();
  for await (const { config, parentConfig } of saver.list({
    configurable: { thread_id: Object.values(named)[0]?.configurable?.["thread_id"] },
  })) {
    if (parentConfig) parents.set(idOf(config), idOf(parentConfig));
  }
  const branchesBelow = (above: string | undefined): Branch[] =>
    [...names]
      .filter(([id]) => namedBefore(id, names, parents) === above)
      .map(([id, name]) => ({ name, below: branchesBelow(id) }));
  for (const root of branchesBelow(undefined)) printBranch(root, ["", ""]);
}

function namedBefore(
  id: string,
  names: ReadonlyMap<string, string>,
  parents: ReadonlyMap<string, string>,
): string | undefined {
  let parent = parents.get(id);
  while (parent !== undefined && !names.has(parent)) parent = parents.get(parent);
  return parent;
}

/** `first` stands before the branch, `rest` before what is below it. */
function printBranch({ name, below }: Branch, [first, rest]: readonly [string, string]): void {
  console.log(`${first}● ${name}`);
  for (const [index, branch] of below.entries()) {
    const isLast = index === below.length - 1;
    printBranch(branch, isLast ? [`${rest}└─ `, `${rest}   `] : [`${rest}├─ `, `${rest}│  `]);
  }
}

function idOf({ configurable }: RunnableConfig): string {
  return String(configurable?.["checkpoint_id"]);
}
