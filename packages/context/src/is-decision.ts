/** True for a sentence in which the agent says what it has decided. */
export function isDecision(sentence: string): boolean {
  return (
    /\b(decided?|will use|chose|going with|because|instead of)\b/i.test(sentence) && sentence.length <= 300
  );
}
