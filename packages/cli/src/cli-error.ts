/** Wrong input of a command. Its message is all that the user needs to see. */
export class CliError extends Error {
  override readonly name: string = "CliError";
}

/** An argument or an option that no storage would make right. Ends the command with exit code 2. */
export class UsageError extends CliError {
  override readonly name = "UsageError";
}
