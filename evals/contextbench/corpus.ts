/** The files of Context-Bench, by their names without ".txt". */
export const fileNames = [
  "people",
  "pets",
  "vehicles",
  "bank_accounts",
  "credit_cards",
  "employments",
  "addresses",
  "insurance_policies",
  "internet_accounts",
  "medical_records",
] as const;

export type FileName = (typeof fileNames)[number];

/** A record of a file. Its text is its lines as they stand there. */
export interface FileRecord {
  readonly file: FileName;
  readonly text: string;
  /** By name, with `owner`: the id of the person that it belongs to, or describes. A person has `name` and `DOB`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** All records, by what finds them. */
export class Corpus {
  readonly records: readonly FileRecord[];
  readonly #byValue = new Map<string, FileRecord[]>();
  readonly #byHeading = new Map<string, FileRecord>();

  constructor(texts: Readonly<Record<FileName, string>>) {
    this.records = fileNames.flatMap((file) => recordsIn(file, texts[file]));
    for (const record of this.records) {
      this.#byHeading.set(record.text.slice(0, record.text.indexOf("\n")), record);
      for (const [field, value] of Object.entries(record.fields)) {
        const key = `${record.file}|${field}|${value}`;
        const found = this.#byValue.get(key);
        if (found === undefined) this.#byValue.set(key, [record]);
        else found.push(record);
      }
    }
  }

  /** Returns the records of a file with a value in a field, in the order of the file. */
  find(file: FileName, field: string, value: string): readonly FileRecord[] {
    return this.#byValue.get(`${file}|${field}|${value}`) ?? [];
  }

  /** Returns the record that begins with a line. */
  headed(line: string): FileRecord | undefined {
    return this.#byHeading.get(line);
  }
}

function recordsIn(file: FileName, text: string): readonly FileRecord[] {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((block) => ({ file, text: block, fields: fieldsOf(block) }));
}

/** Fields stand one on a line; those of a person in the heading and on one line, between bars. */
function fieldsOf(block: string): Readonly<Record<string, string>> {
  const [heading = "", ...lines] = block.split("\n");
  const [, name = "", kind, owner = ""] = /^### (.*) \((owner|ID): ([^)]+)\)$/.exec(heading) ?? [];
  const pairs = lines.flatMap((line) => line.split(" | ")).map((pair) => pair.split(/: (.*)/s, 2));
  return { ...(kind === "ID" ? { name } : {}), ...Object.fromEntries(pairs), owner };
}
