/** Returns the lines and JSON strings of a text. Most originals are one of them and need no search. */
export function piecesOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\n|\\n|"/));
}
