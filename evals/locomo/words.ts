const stop = new Set(
  (
    "a an and are as at be been but by did do does for from had has have he her him his how i in is it its me my of on or " +
    "our she so that the their them they this to was we were what when where which who whom whose why will with would " +
    "you your not no if than then there these those about into"
  ).split(" "),
);

/** Words that are not searched for: articles, prepositions, forms of be, do and have. */
const unsearched = new Set(
  "the a an and or of to in on for with is are was were be did do does has have had".split(" "),
);

/** Returns the stems of a text, repeats included, for ranking. */
export function stemsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.filter((word) => !unsearched.has(word)).map(stem);
}

/** Returns the stems of the words that carry meaning, each once. */
export function contentStems(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return [...new Set(words.filter((word) => word.length > 1 && !stop.has(word)).map(stem))];
}

/** Light stemming: takes off ing, ed, es and s. */
function stem(word: string): string {
  const bare = word.replace(/(ing|ed|es|s)$/, "");
  return bare.length >= 3 ? bare : word;
}
