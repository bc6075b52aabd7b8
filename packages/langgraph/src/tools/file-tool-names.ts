/** Names of the tools of `fileTools`: their results are bounded where they are made. */
export const fileToolNames = ["ls", "read_file", "write_file", "edit_file", "glob", "grep"] as const;
