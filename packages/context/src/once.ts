/**
 * Returns a function that makes its value at the first call and returns the same one from then on.
 *
 * For values that take milliseconds to make, such as schemas, so that the import of the package stays fast.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * Returns a function that compiles an expression at the first call.
 *
 * For expressions with `\p{…}`: V8 reads their Unicode tables when it parses a literal, even one in a function that never
 * runs, so that importing thirty of them takes 20 ms.
 */
export function lazyRegExp(source: string, flags: string): () => RegExp {
  return once(() => new RegExp(source, flags));
}
