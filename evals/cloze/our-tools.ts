import { fileTools } from "@palimpsest/langgraph";
import type { LadderRun } from "../policies/palimpsest-ladder.js";
import type { GrepHit, GrepTools } from "./grep-searcher.js";

/** Characters after which a search reads no further page: what one answer of deepagents' `grep` holds. */
const mostCharacters = 80_000;

/** Returns the agent's own `grep` and `read_file` over the archive of a run, as the agent would call them. */
export function ourTools({ files, config }: LadderRun): GrepTools {
  const tools = fileTools({ files });
  let characters = 0;
  async function call(name: string, args: Record<string, unknown>): Promise<string> {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`fileTools has no ${name}`);
    const answer = String(await tool.invoke(args as never, config));
    characters += answer.length;
    return answer;
  }
  async function grep(pattern: string): Promise<readonly GrepHit[]> {
    // Records end in .jsonl: the same messages again, in a form for machines.
    const where = { path: "/context/", glob: "*.{md,txt,json}", max_matches: 300 };
    const until = characters + mostCharacters;
    const hits: GrepHit[] = [];
    for (let page: number | undefined = 1; page !== undefined && characters < until;) {
      const answer = await call("grep", { pattern, regex: true, ...where, page });
      hits.push(...hitsIn(answer));
      page = nextPage(answer);
    }
    return hits;
  }
  return {
    tokens: () => characters / 4,
    // Narrow first, as the tool asks for where it has more than it shows.
    async grep(words) {
      for (let count = words.length; count > 1; count--) {
        const hits = await grep(linesWith(words, count));
        if (hits.length > 0) return hits;
      }
      return grep(escape(words[0] ?? ""));
    },
    read: (path, from, count) => call("read_file", { path, offset: from - 1, limit: count }),
  };
}

function hitsIn(answer: string): readonly GrepHit[] {
  const lines = answer.matchAll(/^(\/context\/[^\n:]+):(\d+): (.*)$/gm);
  return [...lines].map(([, path = "", line, text = ""]) => ({ path, line: Number(line), text }));
}

/** Returns the page that the answer names for the rest of its matches. */
function nextPage(answer: string): number | undefined {
  const [, page] = /go on with page (\d+)/.exec(answer) ?? [];
  return page === undefined ? undefined : Number(page);
}

/** Returns an expression for lines that have so many of the words, in any order. */
function linesWith(words: readonly string[], count: number): string {
  const orders = (length: number): readonly (readonly string[])[] =>
    length === 0
      ? [[]]
      : orders(length - 1).flatMap((order) =>
          words.filter((word) => !order.includes(word)).map((word) => [...order, word]),
        );
  return orders(count)
    .map((order) => order.map(escape).join(".*"))
    .join("|");
}

function escape(word: string): string {
  return word.replaceAll("$", () => "\\$");
}
