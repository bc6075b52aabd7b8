import type { FileName } from "./corpus.js";
import type { Choice, Filter, Metric, Plan, Ranking, Reading } from "./plan.js";

const counted: Readonly<Record<string, FileName>> = {
  pet: "pets",
  vehicle: "vehicles",
  "bank account": "bank_accounts",
  "credit card": "credit_cards",
  "insurance polic": "insurance_policies",
  "internet account": "internet_accounts",
};
const noun = `(${Object.keys(counted).join("|")})(?:s|y|ies)?`;

/** By what people have in common, its field. */
const shared: Readonly<Record<string, readonly [FileName, string]>> = {
  state: ["addresses", "state"],
  city: ["addresses", "city"],
  "job title": ["employments", "job_title"],
  "blood type": ["medical_records", "blood_type"],
  "medical condition": ["medical_records", "condition"],
  "credit card provider": ["credit_cards", "provider"],
  "expiry date": ["credit_cards", "expire"],
  "insurance type": ["insurance_policies", "policy_type"],
  URL: ["internet_accounts", "url"],
  make: ["vehicles", "make"],
};

/** Whom a question begins with, by the words before the value of a field. */
const anchors: readonly (readonly [RegExp, FileName, string])[] = [
  [/license plate '([^']+)'/, "vehicles", "license_plate"],
  [/username '([^']+)'/, "internet_accounts", "username"],
  [/owner of (?:the )?pet(?: named)? '?([\w-]+)'?/, "pets", "name"],
];
const anchor = `((?:the )?(?:owner|person|user)\\b(?:[^'?,]*?'[^']+'|[^'?,]*? named \\w+))`;

const balance: Ranking = {
  metric: { of: "sum", file: "bank_accounts", field: "balance" },
  first: "largest",
};

/** What makes somebody the first, by its words. A noun that is counted is the first group. */
const superlatives: readonly (readonly [string, Ranking | "count"])[] = [
  [`(?:the most|for most|more) ${noun}`, "count"],
  ["(?:a higher |(?:the )?highest )?total bank (?:account )?balance|(?:the )?highest bank balance", balance],
  ["the highest salary", by("largest", "employments", "salary")],
  [
    "(?:started (?:their )?(?:employment|job)|employment started) most recently",
    by("largest", "employments", "start_date"),
  ],
  ["(?:the|same) oldest vehicle(?: year)?", by("smallest", "vehicles", "year")],
  ["oldest(?: person)?(?: \\(by (?:date of birth|birth date)\\))?", by("smallest", "people", "DOB")],
  ["insurance policy expires the soonest", by("smallest", "insurance_policies", "expires")],
  ["credit card expires first", by("smallest", "credit_cards", "expire")],
];

/** Words that say nothing beside the phrases that are read. */
const glue = new Set(
  (
    "a all among an and any are as at between by card consider does each for has have highest holders if in is it live lives " +
    "living most multiple of one or own owns people person residents s same share shares still than that the their them " +
    "there this those tie tied tiebreaker use using vehicle whose who with an account credit internet total number having"
  ).split(" "),
);

/**
 * Returns the plan of a question of Context-Bench. Pure.
 *
 * @throws Error that names the words that no case reads.
 */
export function parseQuestion(question: string, reading: Reading): Plan {
  const compared = /^Who (?:owns|has) (.+?): (.+?), or (.+?)\?(.*)$/i.exec(question);
  if (compared === null) {
    const phrases = new Phrases(question, reading);
    const asks = askedIn(phrases);
    return { choices: [choiceIn(phrases)], between: [], asks };
  }
  const [, compares = "", one = "", other = "", rest = ""] = compared;
  const last = new Phrases(rest, reading);
  const onTie = last.take(`If tied on ${noun}, return the person with the higher total bank balance`);
  const ties = rankingsIn(last);
  last.end();
  const first = choiceIn(new Phrases(one, reading), ties);
  const sameTies = other.includes("same tiebreaker") ? first.rankings.slice(1) : ties;
  return {
    choices: [first, choiceIn(new Phrases(other, reading), sameTies)],
    between: distinct([...rankingsIn(new Phrases(compares, reading)), ...onTie.map(() => balance)]),
    asks: "name",
  };
}

function askedIn(phrases: Phrases): Metric | "name" {
  const isBalance = phrases.take("What is the (?:total|combined) bank (?:account )?balance of").length > 0;
  if (isBalance) return balance.metric;
  const [counting] = phrases.take("How many ([^?]+?) does\\b");
  if (counting === undefined) return "name";
  const nouns = [...(counting[1] ?? "").matchAll(new RegExp(noun, "g"))];
  return { of: "count", files: nouns.flatMap(([, name = ""]) => counted[name] ?? []) };
}

function choiceIn(phrases: Phrases, ties: readonly Ranking[] = []): Choice {
  const filters = filtersIn(phrases);
  const [some] = phrases.take("(?<!Among )the (\\d+) people with");
  const rankings = distinct([...rankingsIn(phrases), ...ties]);
  phrases.end();
  return { filters, rankings, count: Number(some?.[1] ?? 1) };
}

function filtersIn(phrases: Phrases): readonly Filter[] {
  const found: Filter[] = [];
  const kinds = Object.keys(shared).join("|");
  for (const [, kind = "", text = ""] of phrases.take(
    `same (${kinds}) as (?:a vehicle owned by )?${anchor}`,
  )) {
    const [file, field] = shared[kind] ?? ["addresses", "state"];
    found.push({ by: "same", file, field, as: anchorIn(text), reading: phrases.reading });
  }
  for (const [, value = ""] of phrases.take("([A-Z]\\w*) insurance policy holders", "g"))
    found.push({ by: "value", file: "insurance_policies", field: "policy_type", value });
  for (const [, value = ""] of phrases.take("([A-Z][\\w /]*?) (?:card ?)?holders", "g"))
    found.push({ by: "value", file: "credit_cards", field: "provider", value });
  return [...found, ...countsIn(phrases)];
}

/** How many records of a file somebody has, by the words before and behind the noun: from the least number to the most. */
const bounds: readonly (readonly [string, string, (count: number) => readonly [number, number]])[] = [
  ["(?:does|do) not (?:own|have) any ", "", () => [0, 0]],
  ["(?:owns?|have|has) at least one ", "", () => [1, Infinity]],
  ["all ", " owners", () => [1, Infinity]],
  ["(?:owns?|have|has|with) exactly (\\d+) ", "", (count) => [count, count]],
  ["(?:owns?|have|has|with) (\\d+) or more ", "", (count) => [count, Infinity]],
];

function countsIn(phrases: Phrases): readonly Filter[] {
  return bounds.flatMap(([before, behind, range]) =>
    phrases.take(`${before}${noun}${behind}`).map((match): Filter => {
      const [least, most] = range(Number(match[1]));
      return { by: "count", file: counted[match.at(-1) ?? ""] ?? "pets", least, most };
    }),
  );
}

function rankingsIn(phrases: Phrases): readonly Ranking[] {
  const found = superlatives.flatMap(([words, ranking]) =>
    phrases.take(words).map((match) => ({
      at: match.index,
      ranking: ranking === "count" ? most(counted[match[1] ?? ""] ?? "pets") : ranking,
    })),
  );
  return distinct(found.toSorted((one, other) => one.at - other.at).map(({ ranking }) => ranking));
}

function most(file: FileName): Ranking {
  return { metric: { of: "count", files: [file] }, first: "largest" };
}

function by(first: Ranking["first"], file: FileName, field: string): Ranking {
  return { metric: { of: first, file, field }, first };
}

/** A tie break by what was compared before breaks nothing. */
function distinct(rankings: readonly Ranking[]): readonly Ranking[] {
  return [...new Map(rankings.map((ranking) => [JSON.stringify(ranking), ranking])).values()];
}

function anchorIn(text: string): Extract<Filter, { by: "same" }>["as"] {
  for (const [words, file, field] of anchors) {
    const value = words.exec(text)?.[1];
    if (value !== undefined) return { file, field, value };
  }
  throw new Error(`no case reads whom this names: ${text}`);
}

/** A text of which phrases are taken, until nothing is left but words that say nothing. */
class Phrases {
  #left: string;

  constructor(
    readonly text: string,
    readonly reading: Reading,
  ) {
    this.#left = text;
  }

  /** Returns the matches of an expression and takes them out. Case counts where capitals tell a name. */
  take(expression: string, flags: "g" | "gi" = "gi"): readonly RegExpExecArray[] {
    const matches = [...this.#left.matchAll(new RegExp(`\\b(?:${expression})`, flags))];
    for (const [match] of matches) this.#left = this.#left.replace(match, " ".repeat(match.length));
    return matches;
  }

  end(): void {
    const words = this.#left.toLowerCase().match(/[\w'-]+/g) ?? [];
    const unread = words.filter((word) => !glue.has(word.replace(/'s$/, "")));
    if (unread.length > 0) throw new Error(`no case reads "${unread.join(" ")}" of: ${this.text}`);
  }
}
