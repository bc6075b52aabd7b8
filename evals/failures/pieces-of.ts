/** Returns the lines and JSON strings of a text: most originals are one of these, and need no search. */
export function piecesOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\n|\\n|"/));
}
