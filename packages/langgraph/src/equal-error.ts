/**
 * Returns an error of the same class, message, stack and fields that is another object. Never throws.
 *
 * LangGraph takes the error that an error handler was called with for handled, also when the handler throws it again:
 * the run would end without a reply and without an error.
 */
export function equalError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error), { cause: error });
  return Object.create(
    Object.getPrototypeOf(error) as object,
    Object.getOwnPropertyDescriptors(error),
  ) as Error;
}
