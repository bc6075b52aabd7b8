import type { FileName, FileRecord } from "./corpus.js";
import type { Choice, Filter, Metric, Plan, Ranking } from "./plan.js";

/** Where the steps of a plan look records up: whole files, or what stands in a prompt. Throws `Missing` for what is not there. */
export interface Source {
  /** Returns the records of a file with one of the values in a field. */
  find(file: FileName, field: string, values: readonly string[]): readonly FileRecord[];
  /** Returns how many records of a file each person has. */
  count(file: FileName, owners: readonly string[]): readonly number[];
}

/**
 * Returns the answer of a plan, as text. Ties that no ranking breaks go to the person whose id comes first.
 *
 * @throws what the source throws; Error where nobody is in a group.
 */
export function evaluatePlan({ choices, between, asks }: Plan, source: Source): string {
  const chosen = choices.map((choice) => chosenBy(choice, source));
  const people =
    choices.length === 1 ? (chosen[0] ?? []) : ranked(chosen.flat(), between, source).slice(0, 1);
  if (people.length === 0) throw new Error("nobody is in the group of the question");
  if (asks === "name") return source.find("people", "owner", people).map(nameOf).join(", ");
  const total = sumOf(valuesOf(asks, people, source));
  return asks.of === "sum" ? `$${total.toFixed(2)}` : String(total);
}

function nameOf({ fields }: FileRecord): string {
  return fields["name"] ?? "";
}

function chosenBy({ filters, rankings, count }: Choice, source: Source): readonly string[] {
  const group = groupOf(filters, source);
  // Without a ranking, all that have what the question names are the answer.
  return rankings.length === 0 ? group : ranked(group, rankings, source).slice(0, count);
}

function groupOf(filters: readonly Filter[], source: Source): readonly string[] {
  const [first, ...rest] = filters.toSorted((one, other) => cost[one.by] - cost[other.by]);
  if (first === undefined || first.by === "count") throw new Error("no case finds the people of the group");
  const people = [...new Set(ownersWith(first, source))].toSorted();
  return rest.reduce<readonly string[]>((left, filter) => kept(left, filter, source), people);
}

/** What finds few people comes first. */
const cost = { same: 0, value: 1, count: 2 } as const;

type Found = Extract<Filter, { by: "same" | "value" }>;

function ownersWith(filter: Found, source: Source): readonly string[] {
  const { file, field } = filter;
  return source.find(file, field, wantedValues(filter, source)).map((record) => record.fields["owner"] ?? "");
}

function wantedValues(filter: Found, source: Source): readonly string[] {
  if (filter.by === "value") return [filter.value];
  const { file, field, as, reading } = filter;
  const owners = source.find(as.file, as.field, [as.value]).map(({ fields }) => fields["owner"] ?? "");
  const found = [...new Set(source.find(file, "owner", owners).map(({ fields }) => fields[field] ?? ""))];
  return reading === "first" ? found.slice(0, 1) : found.toSorted();
}

function kept(people: readonly string[], filter: Filter, source: Source): readonly string[] {
  if (filter.by === "count") {
    const counts = source.count(filter.file, people);
    return people.filter((_, at) => (counts[at] ?? 0) >= filter.least && (counts[at] ?? 0) <= filter.most);
  }
  const wanted = new Set(wantedValues(filter, source));
  const having = source
    .find(filter.file, "owner", people)
    .filter(({ fields }) => wanted.has(fields[filter.field] ?? ""));
  const owners = new Set(having.map(({ fields }) => fields["owner"]));
  return people.filter((person) => owners.has(person));
}

/** Returns people with the first ones in front. Whoever lacks what is compared is left out, unless others are as well. */
function ranked(people: readonly string[], rankings: readonly Ranking[], source: Source): readonly string[] {
  let groups: readonly (readonly string[])[] = [people];
  for (const { metric, first } of rankings) {
    // A tie break is looked up only for those that are tied.
    groups = groups.flatMap((group) => {
      if (group.length < 2) return [group];
      const values = valuesOf(metric, group, source);
      const order = [...new Set(values)].filter((value) => value !== undefined).toSorted(ascending);
      const wanted = first === "largest" ? order.toReversed() : order;
      return wanted.map((value) => group.filter((_, at) => values[at] === value));
    });
  }
  return groups.flat();
}

type Value = number | string | undefined;

function ascending(one: number | string, other: number | string): number {
  return one < other ? -1 : 1;
}

function valuesOf(metric: Metric, people: readonly string[], source: Source): readonly Value[] {
  if (metric.of === "count") {
    const counts = metric.files.map((file) => source.count(file, people));
    return people.map((_, at) => counts.reduce((sum, one) => sum + (one[at] ?? 0), 0));
  }
  const records = source.find(metric.file, "owner", people);
  return people.map((person) => {
    const own = records.filter(({ fields }) => fields["owner"] === person);
    const values = own.map(({ fields }) => sortable(fields[metric.field] ?? ""));
    if (metric.of === "sum") return sumOf(values);
    return values.toSorted(ascending).at(metric.of === "largest" ? -1 : 0);
  });
}

/** In whole cents, so that a sum does not depend on its order. */
function sumOf(values: readonly Value[]): number {
  return values.reduce<number>((sum, value) => sum + Math.round(100 * Number(value)), 0) / 100;
}

/** Numbers sort as numbers, and the month of a card, MM/YY, behind its year. */
function sortable(text: string): number | string {
  if (/^\d\d\/\d\d$/.test(text)) return `${text.slice(3)}/${text.slice(0, 2)}`;
  return /^-?[\d.]+$/.test(text) ? Number(text) : text;
}
