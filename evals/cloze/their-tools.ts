import type { Backend } from "@palimpsest/vfs";
import type { GrepHit, GrepTools } from "./grep-searcher.js";

/** Returns what deepagents' `grep`, which knows no expressions, and `read_file` give back from its backend. */
export function theirTools(backend: Backend): GrepTools {
  let characters = 0;
  async function grep(word: string): Promise<readonly GrepHit[]> {
    const { matches = [] } = await backend.grep(word, "/");
    for (const { path, line, text } of matches) characters += `${path}:${line}: ${text}\n`.length;
    return matches;
  }
  return {
    tokens: () => characters / 4,
    async grep(words) {
      const hits = (await Promise.all(words.map(grep))).flat();
      const both = hits.filter(({ text }) => words.filter((word) => text.includes(word)).length >= 2);
      return both.length > 0 ? both : hits.filter(({ text }) => text.includes(words[0] ?? ""));
    },
    async read(path, from, lines) {
      const { content } = await backend.read(path, from - 1, lines);
      const text = typeof content === "string" ? content : "";
      characters += text.length;
      return text;
    },
  };
}
