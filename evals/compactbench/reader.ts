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

/** By what is asked for, the sentences that say it. */
const sentences = {
  rule: /\bnever ([^.\n]+)\./gi,
  plan: /\blet us ([^.\n]+)\./gi,
  lead: /\bI work with (\w+) on the /g,
  project: /\bI work with \w+ on the ([^.\n]+)\./g,
  open: /\bStill open: who will ([^?\n]+)\?/g,
} as const;

/**
 * Returns what a scripted reader answers from a context: what stands in its newest sentence that answers the question, word
 * for word. It knows nothing else, and it guesses nothing: its next step is what the newest plan in sight says. Pure.
 */
export function answerFrom(context: string, asked: Asked, reading: Reading = "first mention"): string {
  const find = (sentence: RegExp) => newest(context, sentence, reading) ?? unknown;
  switch (asked.of) {
    case "rule":
      return all(context, sentences.rule);
    case "still":
      return find(sentences.plan).includes(asked.option) ? `Yes, we ${asked.option}.` : "No.";
    case "next step":
      return `What comes first: ${find(sentences.plan)}`;
    case "tasks":
      return find(new RegExp(`\\b${asked.person} will ([^.\\n]+)\\.`, "g"));
    case "owner":
      return find(new RegExp(`\\b(\\w+) will ${asked.task}\\.`, "g"));
    default:
      return find(sentences[asked.of]);
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
