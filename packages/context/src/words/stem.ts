/** Letters that an ending leaves, at least. */
const least = 3;
/** A word that ends otherwise has no ending. */
const mayEnd = /(?:[sdgye]|([^aeiouls])\1)$/;

/** Returns a lower-case English word without its ending, so that its forms match: plan, plans and planned; study and studied. Pure. */
export function stem(word: string): string {
  if (!mayEnd.test(word)) return word;
  const whole = word.length > 4 ? word.replace(/(?:ies|ied)$/, "y") : word;
  const bare = without(without(whole, /(?:ings|ing|ed|es|(?<!s)s|ly)$/), /e$/);
  return bare.length > least ? bare.replace(/([^aeiouls])\1$/, "$1") : bare;
}

function without(word: string, ending: RegExp): string {
  const bare = word.replace(ending, "");
  return bare.length >= least ? bare : word;
}
