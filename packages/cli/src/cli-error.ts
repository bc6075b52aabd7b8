/** Wrong input of a command. Its message is all that the user needs to see. */
export class CliError extends Error {
  override readonly name = "CliError";
}
