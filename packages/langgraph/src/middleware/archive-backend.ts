import { getConfig } from "@langchain/langgraph";
import type { Lane } from "@palimpsest/context";
import type { Backend, VirtualFilesystem } from "@palimpsest/vfs";
import { readingLane } from "../lanes/reading-agent.js";
import { threadIdOf, type NodeConfig } from "../run-config.js";
import { requireOptions } from "../options/require-options.js";

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
  /** The lane of the only agent that has this backend. @default that of the agent whose tool reads, from its `contextMiddleware` */
  readonly lane?: Lane;
}

/**
 * Returns a read-only backend for Deep Agents, with the archive of the running thread:
 * `new CompositeBackend(new StateBackend(), { "/context/": archiveBackend({ files }) })`.
 *
 * One backend serves all threads and all agents: each call looks up the `thread_id` of its run, and the lane of the agent whose tool
 * reads.
 * @throws ContextError when an option cannot work.
 */
export function archiveBackend(options: ArchiveBackendOptions): Backend {
  requireOptions(options, "archiveBackend");
  const { files, lane } = options;
  const calls = verbs.map((verb): [string, Verb] => [
    verb,
    async (...input) => {
      const threadId = threadIdOf(getConfig() as NodeConfig, undefined);
      if (threadId === undefined) return { error: "This run has no thread_id, so it has no archive." };
      const backend = files.archiveBackend(threadId, readingLane(lane));
      return (backend[verb] as Verb).apply(backend, input);
    },
  ]);
  return Object.fromEntries(calls) as unknown as Backend;
}
