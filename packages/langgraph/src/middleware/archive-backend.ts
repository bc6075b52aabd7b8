import { getConfig } from "@langchain/langgraph";
import type { Backend, VirtualFilesystem } from "@palimpsest/vfs";
import { threadIdOf, type NodeConfig } from "../run-config.js";
import { parseOptions } from "../options/parse-options.js";
import { surface } from "../options/surfaces.js";

const verbs = [
  "ls",
  "read",
  "readBytes",
  "readRaw",
  "write",
  "edit",
  "glob",
  "grep",
  "delete",
  "uploadFiles",
  "downloadFiles",
] as const;

type Verb = (...input: unknown[]) => Promise<unknown>;

export interface ArchiveBackendOptions {
  /** The filesystem of the nodes or the middleware. */
  readonly files: VirtualFilesystem;
}

/**
 * Returns a read-only backend for Deep Agents, with the archive of the running thread:
 * `new CompositeBackend(new StateBackend(), { "/context/": archiveBackend({ files }) })`.
 *
 * One backend serves all threads: each call looks up the `thread_id` of its run.
 * @throws ContextError when an option cannot work.
 */
export function archiveBackend(options: ArchiveBackendOptions): Backend {
  parseOptions(options, surface("archiveBackend", "tool"));
  const { files } = options;
  const calls = verbs.map((verb): [string, Verb] => [
    verb,
    async (...input) => {
      const threadId = threadIdOf(getConfig() as NodeConfig, undefined);
      if (threadId === undefined) return { error: "This run has no thread_id, so it has no archive." };
      const backend = files.archiveBackend(threadId);
      return (backend[verb] as Verb).apply(backend, input);
    },
  ]);
  return Object.fromEntries(calls) as unknown as Backend;
}
