import { ContextError } from "@palimpsest/context";

/** Refuses anything that is no filesystem. @throws ContextError `bad-option` */
export function requireFiles(files: unknown): void {
  if (typeof (files as { thread?: unknown } | null | undefined)?.thread === "function") return;
  throw new ContextError(
    "bad-option",
    `files is ${files === null ? "null" : typeof files}: ` +
      `pass a VirtualFilesystem, such as VirtualFilesystem.fromDirectory(".agent")`,
  );
}
