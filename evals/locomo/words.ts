/** Words that are not searched for: articles, prepositions, forms of be, do and have. */
const unsearched = new Set(
  "the a an and or of to in on for with is are was were be did do does has have had".split(" "),
);

/** Returns the stems of a text, repeats included, for ranking. */
export function stemsOf(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.filter((word) => !unsearched.has(word)).map(stem);
}

/** Light stemming: takes off ing, ed, es and s. */
function stem(word: string): string {
  const bare = word.replace(/(ing|ed|es|s)$/, "");
  return bare.length >= 3 ? bare : word;
}
