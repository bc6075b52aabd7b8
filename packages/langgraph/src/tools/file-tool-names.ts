/** Names of the tools that read files and the archive: their results are bounded where they are made. */
export const fileToolNames = [
  "ls",
  "read_file",
  "write_file",
  "edit_file",
  "glob",
  "grep",
  "search_history",
] as const;
