import { randomFrom } from "../data/random-from.js";
import { Corpus, fileNames, type FileName, type FileRecord } from "./corpus.js";
import type { Question } from "./questions.js";

/** Files of the shape of Context-Bench, and questions about them whose answers come from the records, without a plan. */
export interface World {
  readonly texts: Readonly<Record<FileName, string>>;
  readonly questions: readonly Question[];
}

const lists: Readonly<Record<string, readonly string[]>> = {
  given: ["Ada", "Ben", "Cleo", "Dov", "Eda", "Finn", "Gita", "Hugo"],
  family: ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gorse", "Hazel"],
  state: ["Northmark", "South Fen", "Eastmoor", "Westhill"],
  blood: ["A+", "B+", "O-", "AB+"],
  card: ["Blue Card", "Green Card", "Red Card / Gold"],
  species: ["Cat", "Fish"],
  policy: ["Auto", "Home"],
};

/** The most records that a person has, or minus the exact number; a record with `{list}`, `{from+below}` and `{id}` to fill in. */
const shapes: Readonly<Record<FileName, readonly [number, string]>> = {
  people: [-1, "DOB: {1940+60}-0{1+9}-1{0+10} | Email: {given}@mail.test | Phone: 555-{id}"],
  pets: [3, "name: Pet{id}\nspecies: {species}"],
  vehicles: [3, "make: Make {1+40}\nyear: {1990+35}\nlicense_plate: AB {id}-X"],
  bank_accounts: [
    6,
    "bank_name: Bank of {family} and {family}\naccount_no: ACCT{100000+900000}{100000+900000}\nbalance: {1000+40000}.{10+90}\ncurrency: USD",
  ],
  credit_cards: [4, "provider: {card}\nnumber: 4000{100000+900000}\nexpire: 0{1+9}/{26+9}"],
  employments: [-1, "employer: Firm {1+90}\nstart_date: {2010+15}-0{1+9}-1{0+10}\nsalary: {40000+90000}.50"],
  addresses: [-1, "street: {1+900} Long Road\nstate: {state}\ncountry: Nowhere"],
  insurance_policies: [3, "insurer: Insurer {1+50}\npolicy_type: {policy}\nexpires: {2026+4}-0{1+9}-1{0+10}"],
  internet_accounts: [3, "username: user{id}\nurl: https://site{1+60}.test/"],
  medical_records: [-1, "blood_type: {blood}\ncondition: None"],
};

/** Returns the same world for the same seed. */
export function makeWorld(seed: number, { people = 60, questions = 10 } = {}): World {
  const random = randomFrom(seed);
  const owners = Array.from({ length: people }, (_, at) => `pers-${String(at + 1).padStart(4, "0")}`);
  const texts = Object.fromEntries(
    fileNames.map((file) => [file, textOf(file, owners, random)]),
  ) as unknown as World["texts"];
  const facts = new Facts(new Corpus(texts), owners, random);
  const asked: Question[] = [];
  for (let at = 0; asked.length < questions; at++) {
    const [kind, text, truth] = templates[at % templates.length]!(facts);
    // Where two people are tied, or nobody is left, there is no exact answer.
    if (truth !== undefined) asked.push({ kind, text, truth });
    if (at > 100 * questions) throw new Error(`seed ${seed} gives fewer than ${questions} questions`);
  }
  return { texts, questions: asked };
}

function textOf(file: FileName, owners: readonly string[], random: () => number): string {
  const [most, shape] = shapes[file];
  const below = (limit: number) => Math.floor(random() * limit);
  let id = 0;
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)(?:\+(\d+))?\}/g, (_, name: string, limit?: string) => {
      if (limit !== undefined) return String(Number(name) + below(Number(limit)));
      return name === "id" ? String(id) : (lists[name]?.[below(lists[name].length)] ?? "");
    });
  const record = (owner: string) => {
    id += 1;
    const heading =
      file === "people" ? `### Person${id} {family} (ID: ${owner})` : `### ${file}-${id} (owner: ${owner})`;
    return fill(`${heading}\n${shape}\n`);
  };
  const blocks = owners.flatMap((owner) =>
    Array.from({ length: most < 0 ? -most : below(most + 1) }, () => record(owner)),
  );
  return blocks.join("\n");
}

type Value = (owner: string) => number;

/** Answers questions from the records. */
class Facts {
  constructor(
    readonly corpus: Corpus,
    readonly owners: readonly string[],
    readonly random: () => number,
  ) {}

  of(file: FileName, owner: string): readonly FileRecord["fields"][] {
    return this.corpus.find(file, "owner", owner).map(({ fields }) => fields);
  }

  /** Words that name somebody, and who it is. */
  anchor(): readonly [string, string] {
    const pick = (file: FileName) => {
      const records = this.corpus.records.filter((record) => record.file === file);
      return records[Math.floor(this.random() * records.length)]!.fields;
    };
    const [pet, car, net] = [pick("pets"), pick("vehicles"), pick("internet_accounts")];
    const named: readonly (readonly [string, string])[] = [
      [`the owner of the pet named '${pet["name"]}'`, pet["owner"] ?? ""],
      [`the owner of the vehicle with license plate '${car["license_plate"]}'`, car["owner"] ?? ""],
      [`the person with internet username '${net["username"]}'`, net["owner"] ?? ""],
    ];
    return named[Math.floor(this.random() * named.length)]!;
  }

  /** People with a value in common. */
  alike(owner: string, file: FileName, field: string): readonly string[] {
    const values = new Set(this.of(file, owner).map((fields) => fields[field]));
    return this.owners.filter((one) => this.of(file, one).some((fields) => values.has(fields[field])));
  }

  count(...files: readonly FileName[]): Value {
    return (owner) => files.reduce((sum, file) => sum + this.of(file, owner).length, 0);
  }

  balance: Value = (owner) =>
    this.of("bank_accounts", owner).reduce((sum, fields) => sum + 100 * Number(fields["balance"]), 0) / 100;

  date(file: FileName, field: string): Value {
    return (owner) => Date.parse(this.of(file, owner)[0]?.[field] ?? "");
  }

  /** The only one with the largest first value, and of those with the largest second one. */
  top(owners: readonly string[], ...values: readonly Value[]): string | undefined {
    let left = owners;
    for (const value of values) {
      const most = Math.max(...left.map(value));
      left = left.filter((owner) => value(owner) === most);
    }
    return left.length === 1 ? left[0] : undefined;
  }

  name(owner: string | undefined): string | undefined {
    return owner && this.of("people", owner)[0]?.["name"];
  }
}

const state = ["addresses", "state"] as const;
const richest = "the person with the highest total bank balance among residents of the same state as";

/** Returns a kind, a question of that kind, and its answer; undefined where there is none. */
const templates: readonly ((facts: Facts) => readonly [string, string, string | undefined])[] = [
  (facts) => {
    const [one, other] = [facts.anchor(), facts.anchor()];
    const best = [one, other].map(
      ([, owner]) => facts.top(facts.alike(owner, ...state), facts.balance) ?? "",
    );
    const winner = best.includes("") ? undefined : facts.top(best, facts.count("vehicles"));
    return [
      "multi_hop_chain",
      `Who owns more vehicles: ${richest} ${one[0]}, OR ${richest} ${other[0]}?`,
      facts.name(winner),
    ];
  },
  (facts) => {
    const [words, owner] = facts.anchor();
    const born = facts.date("people", "DOB");
    const winner = facts.top(facts.alike(owner, ...state), facts.count("credit_cards"), (one) => -born(one));
    const text = `Among all people who live in the same state as ${words}, who has the most credit cards? If there's a tie, who among them is the oldest?`;
    return ["comparison_tiebreak", text, facts.name(winner)];
  },
  (facts) => {
    const [words, owner] = facts.anchor();
    const winner = facts.top(facts.alike(owner, ...state), facts.count("insurance_policies"), facts.balance);
    const text = `What is the total bank balance of the person with the most insurance policies among all residents of the same state as ${words}? If there's a tie for most insurance policies, use the highest total bank balance as a tiebreaker.`;
    return ["aggregation", text, winner && `$${facts.balance(winner).toLocaleString("en-US")}`];
  },
  (facts) => {
    const [words, owner] = facts.anchor();
    const winner = facts.top(facts.alike(owner, ...state), facts.balance);
    const text = `How many total records (pets, vehicles, and internet accounts combined) does ${richest} ${words} have?`;
    const total = facts.count("pets", "vehicles", "internet_accounts");
    return ["cross_file_counting", text, winner && `${total(winner)} records`];
  },
  (facts) => {
    const [words, owner] = facts.anchor();
    const without = facts.alike(owner, "vehicles", "make").filter((one) => facts.count("pets")(one) === 0);
    const text = `Among all people who own a vehicle with the same make as ${words}, who does NOT own any pets?`;
    return ["negation", text, facts.name(facts.top(without))];
  },
  (facts) => {
    const [words, owner] = facts.anchor();
    const alike = facts.alike(owner, "medical_records", "blood_type");
    const drivers = alike.filter((one) => facts.count("vehicles")(one) > 0);
    const text = `Among all people who share the same blood type as ${words} and own at least one vehicle, whose employment started most recently?`;
    return [
      "temporal_reasoning",
      text,
      facts.name(facts.top(drivers, facts.date("employments", "start_date"))),
    ];
  },
];
