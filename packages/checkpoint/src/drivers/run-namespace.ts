import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { FileError } from "@palimpsest/vfs";

/** Returns the namespace of a run, from what its caller passes. */
// oxlint-disable-next-line typescript/no-explicit-any -- a host knows the type of its own context
export type NamespaceOfRun = (config: RunnableConfig & { readonly context?: any }) => readonly string[];

/**
 * Returns the namespace of the run that calls. Throws a FileError "invalid-option" outside a run, and for a namespace that is no
 * list of names: one user must never get the files of all.
 */
export function namespaceOfRun(namespace: NamespaceOfRun): readonly string[] {
  const config = AsyncLocalStorageProviderSingleton.getRunnableConfig() as RunnableConfig | undefined;
  if (config === undefined)
    throw new FileError(
      "invalid-option",
      "namespace is a function of the run, and this call is outside a run: read these files in a node or tool, or with a StoreDriver whose namespace is a list.",
    );
  return checkNamespace(namespace(config), "namespace returned");
}

/** Returns a namespace that consists of names. `what` begins the error. */
export function checkNamespace(given: unknown, what: string): readonly string[] {
  const names: readonly unknown[] = Array.isArray(given) ? given : [];
  if (names.length > 0 && names.every((name) => typeof name === "string" && name !== ""))
    return names as readonly string[];
  const shown = JSON.stringify(given, (_, value: unknown) => (value === undefined ? null : value));
  throw new FileError(
    "invalid-option",
    `${what} ${shown ?? String(given)}: each of its names must be a text, such as ["memories", "ada"]. Does the run pass the name?`,
  );
}
