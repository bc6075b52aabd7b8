/**
 * Returns an error of the same class, message, stack and fields that is another object. Never throws.
 *
 * LangGraph takes the error that an error handler was called with for handled, also when the handler throws it again:
 * the run would end without a reply and without an error.
 */
export function equalError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error), { cause: error });
  const fields: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(error);
  // Newer versions of Node keep the stack behind an accessor that works on the original alone.
  fields["stack"] = { value: error.stack, writable: true, configurable: true };
  return Object.create(Object.getPrototypeOf(error) as object, fields) as Error;
}
