/** Wrong input of a command. The user sees only its message. */
export class CliError extends Error {
  override readonly name: string = "CliError";
}

/** An invalid argument or option, whatever the storage. Ends the command with exit code 2. */
export class UsageError extends CliError {
  override readonly name = "UsageError";
}
