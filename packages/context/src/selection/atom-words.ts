/** Returns the words of an identifier or a text in lower case, of 4 or more letters, each once: camelCase is taken apart. */
export function atomWords(text: string): readonly string[] {
  const parts = text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[a-z]{4,}/g);
  return parts === null ? none : [...new Set(parts)];
}

const none: readonly string[] = [];
