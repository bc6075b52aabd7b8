/** Runs on its command-line arguments, prints what it measured, and returns whether all was as it should be. */
export type Suite = (args: readonly string[]) => Promise<boolean>;
