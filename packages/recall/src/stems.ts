/** Words that tell nothing of what a text is about. */
export const frequentWords: ReadonlySet<string> = new Set(
  (
    "a an and are as at be been but by can could did do does for from had has have he her him his how i if in into is it " +
    "its me my no not of on or our she so than that the their them then there these they this those to was we were what " +
    "when where which who whom whose why will with would you your"
  ).split(" "),
);

const ending = /^([a-z]{3,}?)(?:ing|ed|es|s)$/;

/** Returns a plain word without its ending (ing, ed, es, s), so that its forms are one; any other word as it is. Pure. */
export function stemOf(word: string): string {
  const last = word.at(-1);
  return last === "s" || last === "d" || last === "g" ? (ending.exec(word)?.[1] ?? word) : word;
}
