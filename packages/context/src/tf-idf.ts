/** Returns the words of a text in lower case: identifiers of 3 or more characters and numbers of 2 or more. */
export function words(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}_$][\p{L}\p{N}_$]{2,}|\d[\d.]+/gu) ?? [];
}

/**
 * Returns a score for each text: the mean TF-IDF weight of its words among all the texts.
 *
 * `(1 + ln tf) * ln(1 + N / df)`, summed over the distinct words and divided by the square root of the number of
 * words, so that long lines do not win by length. Pure, O(words).
 */
export function tfIdfScores(texts: readonly string[]): readonly number[] {
  const bags = texts.map((text) => {
    const bag = new Map<string, number>();
    for (const word of words(text)) bag.set(word, (bag.get(word) ?? 0) + 1);
    return bag;
  });
  const documents = new Map<string, number>();
  for (const bag of bags) for (const word of bag.keys()) documents.set(word, (documents.get(word) ?? 0) + 1);
  return bags.map((bag) => {
    let sum = 0;
    let length = 0;
    for (const [word, count] of bag) {
      sum += (1 + Math.log(count)) * Math.log(1 + texts.length / (documents.get(word) ?? 1));
      length += count;
    }
    return length === 0 ? 0 : sum / Math.sqrt(length);
  });
}
