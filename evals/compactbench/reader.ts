/** What an item asks for. The reader knows what to look for, and not the answer. */
export type Asked =
  | { readonly of: "rule" }
  | { readonly of: "plan" }
  | { readonly of: "owner"; readonly task: string }
  | { readonly of: "tasks"; readonly person: string }
  | { readonly of: "lead" }
  | { readonly of: "project" }
  | { readonly of: "open" }
  | { readonly of: "still"; readonly option: string }
  | { readonly of: "next step" };

/** Which place of a sentence counts, where a record repeats what stands before it: the first one, or the last one. */
export type Reading = "first mention" | "last mention";

const unknown = "I do not know.";

/**
 * Returns what a scripted reader answers from a context: what stands in its newest sentence that answers the question, word
 * for word. It knows nothing else, and it guesses nothing: its next step is what the newest plan in sight says. Pure.
 */
export function answerFrom(context: string, asked: Asked, reading: Reading = "first mention"): string {
  const find = (sentence: RegExp) => newest(context, sentence, reading);
  const plan = find(/\blet us ([^.\n]+)\./gi);
  switch (asked.of) {
    case "rule":
      return all(context, /\bnever ([^.\n]+)\./gi);
    case "plan":
      return plan ?? unknown;
    case "still":
      return plan?.includes(asked.option) === true ? `Yes, we ${asked.option}.` : "No.";
    case "tasks":
      return find(new RegExp(`\\b${asked.person} will ([^.\\n]+)\\.`, "g")) ?? unknown;
    case "owner":
      return find(new RegExp(`\\b(\\w+) will ${asked.task}\\.`, "g")) ?? unknown;
    case "lead":
      return find(/\bI work with (\w+) on the /g) ?? unknown;
    case "project":
      return find(/\bI work with \w+ on the ([^.\n]+)\./g) ?? unknown;
    case "open":
      return find(/\bStill open: who will ([^?\n]+)\?/g) ?? unknown;
    case "next step":
      return `First we ${plan ?? "write down the tasks"}.`;
  }
}

/** A repeated sentence tells nothing new: by its first mention it is as old as that. */
function newest(context: string, sentence: RegExp, reading: Reading): string | undefined {
  const found = [...context.matchAll(sentence)].map(([, text = ""]) => text);
  return reading === "last mention" ? found.at(-1) : [...new Set(found)].at(-1);
}

/** Rules do not replace each other. */
function all(context: string, sentence: RegExp): string {
  const found = new Set([...context.matchAll(sentence)].map(([, text = ""]) => text));
  return found.size === 0 ? unknown : [...found].join("; ");
}
