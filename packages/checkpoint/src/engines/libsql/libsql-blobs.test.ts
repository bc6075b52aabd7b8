import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bundle, looksLike, packedAlone, unpackStored } from "../../codec/packing/bundle.js";
import { unpackAll } from "../../codec/packing/unpack-all.js";
import { pack } from "../../codec/packing/pack.js";
import { digestOf } from "../../codec/reference.js";
import type { BlobsOptions } from "../../engine.js";
import { bytesOf } from "./columns.js";
import { LibsqlBlobs } from "./libsql-blobs.js";
import { LibsqlDatabase } from "./libsql-database.js";
import { unlessDamaged } from "./standalone-values.js";

const threads = [1, 2, 3];

/** Returns bytes that look like a page of a list. */
function page(seed: number, size: number): Buffer {
  return Buffer.from(JSON.stringify([`p${seed}${"abcdefgh".repeat(size)}`.slice(0, size), "m"]));
}

/** Text, pages, or incompressible bytes, of sizes above and below the limit for bundles. */
const value = fc
  .record({
    seed: fc.nat(60),
    size: fc.constantFrom(20, 600, 2000, 5000, 12_000),
    kind: fc.constantFrom("text", "page", "random"),
  })
  .map(({ seed, size, kind }) => {
    if (kind === "page") return page(seed, size);
    if (kind === "text")
      return Buffer.from(`${seed} is repeated ${"again and again ".repeat(size)}`.slice(0, size));
    return Buffer.from(
      Array.from({ length: size }, (_, index) => (Math.imul(index + 7, seed * 40_503) >>> 9) & 255),
    );
  });

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("add"), values: fc.array(value, { maxLength: 30 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("keep"), every: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("disown") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reopen") }) },
);

type Action = { readonly thread: number } & (
  | { readonly kind: "add"; readonly values: readonly Buffer[] }
  | { readonly kind: "keep"; readonly every: number }
  | { readonly kind: "disown" | "reopen" }
);

const actions = fc.array(
  fc.tuple(fc.constantFrom(...threads), action).map(([thread, what]) => ({ thread, ...what })),
  { maxLength: 25 },
);

/** Blobs in a database in memory, and a model of what each thread owns. */
class Model {
  readonly database = new LibsqlDatabase(":memory:");
  blobs = new LibsqlBlobs(this.database);
  readonly owned = new Map(threads.map((thread) => [thread, new Map<string, Buffer>()] as const));

  do(what: Action): void {
    const owned = this.owned.get(what.thread) ?? new Map<string, Buffer>();
    this.database.write(() => {
      if (what.kind === "add") {
        for (const bytes of what.values) owned.set(digestOf(bytes), bytes);
        const packed = what.values.map((bytes) => [digestOf(bytes), pack(bytes)] as const);
        this.blobs.add(what.thread, new Map(packed));
      } else if (what.kind === "keep") {
        const kept = [...owned.keys()].filter((_, index) => index % what.every === 0);
        this.blobs.keepOnly(what.thread, new Set(kept));
        for (const digest of owned.keys()) if (!kept.includes(digest)) owned.delete(digest);
      } else if (what.kind === "disown") {
        this.blobs.disown(what.thread);
        owned.clear();
      } else {
        this.blobs = new LibsqlBlobs(this.database);
      }
    });
  }

  /** Returns the pointers to bundles by the digests of their blobs. */
  pointers(): ReadonlyMap<string, Uint8Array> {
    const rows = this.database.all("SELECT digest, data FROM blobs WHERE length(data) = 7");
    return new Map(
      rows.map(({ digest, data }) => [Buffer.from(bytesOf(digest)).toString("base64url"), bytesOf(data)]),
    );
  }

  /** Returns those of the digests whose blobs are found with the right bytes. */
  intact(digests: readonly string[], options?: BlobsOptions): readonly string[] {
    const found = this.blobs.get(digests, options);
    return digests.filter((digest) => {
      const stored = found.get(digest);
      const bytes = stored && unlessDamaged(() => unpackStored(stored));
      return bytes !== undefined && digestOf(bytes) === digest;
    });
  }

  count(table: string): number {
    return Number(this.database.get(`SELECT count(*) AS rows FROM ${table}`)?.["rows"]);
  }
}

describe("blobs in a file", () => {
  it("are restored exactly while a thread owns them, and are deleted with their last owner", async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (all) => {
        const model = new Model();
        for (const what of all) model.do(what);
        const expected = new Map([...model.owned.values()].flatMap((owned) => [...owned]));
        const digests = [...expected.keys()];
        const found = model.blobs.get(digests);
        const values = await unpackAll(digests.map((digest) => found.get(digest) ?? Buffer.alloc(0)));
        expect(values.map(({ bytes }) => digestOf(bytes))).toEqual(digests);
        expect(model.count("blobs")).toBe(digests.length);
        for (const thread of threads) model.do({ thread, kind: "disown" });
        expect(model.count("blobs")).toBe(0);
        model.database.exec("CREATE TABLE IF NOT EXISTS bundles (id)");
        expect(model.count("bundles")).toBe(0);
        model.database.close();
      }),
    );
  });

  it("are bundled, and bundled anew without the others when fewer than half of a bundle are left", () => {
    const model = new Model();
    const values = Array.from({ length: 40 }, (_, index) => Buffer.from(`${index} `.repeat(1000)));
    for (const one of values) model.do({ thread: 1, kind: "add", values: [one] });
    expect(model.count("bundles")).toBeGreaterThan(1);
    const alone = model.count("blobs WHERE length(data) > 7");
    expect(alone).toBeLessThan(16);
    model.do({ thread: 1, kind: "keep", every: 3 });
    const kept = values.map(digestOf).filter((_, index) => index % 3 === 0);
    const bundled = model.database
      .all("SELECT data FROM bundles")
      .flatMap((row) => new Bundle(bytesOf(row["data"])).members.map(({ digest }) => digest));
    expect(kept).toEqual(expect.arrayContaining(bundled));
    expect(bundled.length).toBeGreaterThan(5);
    expect(model.count("blobs WHERE length(data) > 7")).toBeLessThanOrEqual(alone);
    model.database.close();
  });

  it("are bundled with pages of lists apart from others", () => {
    const model = new Model();
    for (let index = 0; index < 400; index++) {
      const text = Buffer.from(`${index} `.repeat(200));
      model.do({ thread: 1, kind: "add", values: [text, page(index, 300)] });
    }
    const bundles = model.database
      .all("SELECT data FROM bundles")
      .map((row) => new Bundle(bytesOf(row["data"])));
    const kinds = bundles.map(({ members }) => new Set(members.map((one) => looksLike(unpackStored(one)))));
    expect(kinds).toContainEqual(new Set(["page"]));
    expect(kinds).toContainEqual(new Set(["leaf"]));
    expect(kinds.every(({ size }) => size === 1)).toBe(true);
    expect(model.count("blobs WHERE length(data) > 7")).toBeLessThan(300);
    model.database.close();
  });

  it("leave nothing in a bundle when their thread is deleted, also when another thread owns part of the bundle", () => {
    const model = new Model();
    const values = Array.from({ length: 40 }, (_, index) => Buffer.from(`secret ${index} `.repeat(200)));
    for (const one of values) model.do({ thread: 1, kind: "add", values: [one] });
    model.do({ thread: 2, kind: "add", values: values.slice(0, 30) });
    model.do({ thread: 1, kind: "disown" });
    const bundles = model.database
      .all("SELECT data FROM bundles")
      .map((row) => new Bundle(bytesOf(row["data"])));
    const left = bundles.flatMap((bundle) => bundle.members.map(({ digest }) => digest));
    expect(left.length).toBeGreaterThan(0);
    for (const one of values.slice(30)) expect(left).not.toContain(digestOf(one));
    expect(model.count("blobs")).toBe(30);
    model.database.close();
  });

  it("are bundled when each process adds only one", () => {
    const model = new Model();
    for (let index = 0; index < 40; index++) {
      model.do({ thread: 1, kind: "reopen" });
      model.do({ thread: 1, kind: "add", values: [Buffer.from(`${index} `.repeat(1000))] });
    }
    expect(model.count("blobs WHERE length(data) = 7")).toBeGreaterThan(20);
    model.database.close();
  });

  it.each([
    ["the count of its owners", "UPDATE blobs SET users = 1 WHERE users = 3"],
    ["the row of another owner", "UPDATE owners SET blob = 1 WHERE thread = 3 AND blob = 2"],
  ])("stay as long as a thread owns them, although %s is damaged", (_, sql) => {
    for (const kind of ["disown", "keep"] as const) {
      const model = new Model();
      const [first, shared] = [Buffer.from("of one thread"), Buffer.from("of several threads")];
      model.do({ thread: 1, kind: "add", values: [first] });
      for (const thread of sql.includes("users") ? threads : [2, 3])
        model.do({ thread, kind: "add", values: [shared] });
      model.database.exec(sql);
      model.do(kind === "disown" ? { thread: 3, kind } : { thread: 3, kind: "keep", every: 5 });
      model.database.write(() => model.blobs.keepOnly(3, new Set()));
      expect([...model.blobs.get([digestOf(first), digestOf(shared)]).keys()]).toHaveLength(2);
      model.database.close();
    }
  });

  it("that are damaged do not prevent adding and deleting others", () => {
    const model = new Model();
    const values = Array.from({ length: 40 }, (_, index) => Buffer.from(`${index} `.repeat(1000)));
    for (const one of values) {
      model.do({ thread: 1, kind: "add", values: [one] });
      model.database.run(
        "UPDATE blobs SET data = ? WHERE id % 3 = 0 AND length(data) > 7",
        Buffer.from("damaged"),
      );
    }
    model.database.run("UPDATE bundles SET data = ? WHERE id % 2 = 0", Buffer.from("damaged"));
    model.do({ thread: 1, kind: "keep", every: 4 });
    model.do({ thread: 1, kind: "add", values: [Buffer.from("more")] });
    model.do({ thread: 1, kind: "disown" });
    expect(model.count("blobs")).toBe(0);
    expect(model.count("bundles")).toBe(0);
    model.database.close();
  });
});

describe.each(["no bundle", "another bundle"])("a damaged pointer that leads to %s", (where) => {
  /** Returns the digests of blobs in several bundles, of which the first has lost its pointer. */
  function damagedModel(): { readonly model: Model; readonly digests: readonly string[] } {
    const model = new Model();
    const values = Array.from({ length: 80 }, (_, index) => Buffer.from(`${index} `.repeat(1000)));
    for (const one of values) model.do({ thread: 1, kind: "add", values: [one] });
    const pointers = model.pointers();
    const digests = [...pointers.keys()];
    const [first = "", last = ""] = [digests.at(0), digests.at(-1)];
    expect(pointers.get(last)).not.toEqual(pointers.get(first));
    const damaged = where === "no bundle" ? Buffer.from("damaged") : pointers.get(last);
    const key = Buffer.from(first, "base64url");
    model.database.run("UPDATE blobs SET data = ? WHERE digest = ?", damaged ?? null, key);
    return { model, digests };
  }

  it("hides its blob from a reader of that alone, and from a reader of others only when each row counts", () => {
    const { model, digests } = damagedModel();
    expect(model.intact(digests.slice(0, 1))).toEqual([]);
    expect(model.intact(digests)).toEqual(digests);
    expect(model.intact(digests, { eachRow: true })).toEqual(digests.slice(1));
    model.database.close();
  });

  it("is repaired, and no other blob is lost then or later", () => {
    const { model, digests } = damagedModel();
    const [first = ""] = digests;
    const stored = model.blobs.get(digests).get(first) ?? Buffer.alloc(0);
    model.database.write(() => model.blobs.restore([1], first, packedAlone(stored)));
    expect(model.intact(digests, { eachRow: true })).toEqual(digests);
    const kept = digests.filter((_, index) => index % 3 === 0);
    model.database.write(() => model.blobs.keepOnly(1, new Set(kept)));
    expect(model.intact(kept, { eachRow: true })).toEqual(kept);
    model.database.close();
  });

  it("is deleted without any blob that is kept", () => {
    const { model, digests } = damagedModel();
    const kept = digests.slice(-1);
    model.database.write(() => model.blobs.keepOnly(1, new Set(kept)));
    expect(model.intact(kept, { eachRow: true })).toEqual(kept);
    model.database.close();
  });
});

describe("a value that is added again where its row is damaged", () => {
  const values = Array.from({ length: 80 }, (_, index) => Buffer.from(`${index} `.repeat(1000)));
  values.push(Buffer.from("a text over the limit of bundles ".repeat(1000)));
  const flipped = "CAST(substr(data, 1, 30) || x'7f' || substr(data, 32) AS BLOB)";

  it.each([
    ["a row of its own", `UPDATE blobs SET data = ${flipped} WHERE length(data) > 7`],
    ["a pointer to no bundle", "UPDATE blobs SET data = x'03999999999999' WHERE length(data) = 7"],
    [
      "a pointer to another bundle",
      "UPDATE blobs SET data = (SELECT max(data) FROM blobs WHERE length(data) = 7) WHERE length(data) = 7",
    ],
    ["a row without bytes", "UPDATE blobs SET data = x''"],
    ["a bundle", `UPDATE bundles SET data = ${flipped}`],
  ])("is whole for both threads: %s", (_, damage) => {
    const model = new Model();
    for (const one of values) model.do({ thread: 1, kind: "add", values: [one] });
    model.database.exec(damage);
    const digests = values.map((one) => digestOf(one));
    const before = unlessDamaged(() => model.intact(digests, { eachRow: true })) ?? [];
    expect(before.length).toBeLessThan(values.length);
    model.do({ thread: 2, kind: "add", values });
    expect(model.intact(digests, { eachRow: true })).toEqual(digests);
    model.do({ thread: 1, kind: "disown" });
    expect(model.intact(digests, { eachRow: true })).toEqual(digests);
    model.database.close();
  });

  it.each(["the same file", "another file"])(
    "is whole when it is copied from a bundle of %s, whatever the number of that bundle",
    (source) => {
      const [model, other] = [new Model(), new Model()];
      for (const one of values) model.do({ thread: 1, kind: "add", values: [one] });
      for (const one of values.toReversed()) other.do({ thread: 1, kind: "add", values: [one] });
      const digests = [...model.pointers().keys()];
      const pointers = other.pointers();
      const first = digests.find((digest) => pointers.has(digest)) ?? "";
      const pointer = pointers.get(first);
      expect(model.pointers().get(first)).not.toEqual(pointer);
      model.database.run(
        "UPDATE blobs SET data = ? WHERE digest = ?",
        pointer ?? null,
        Buffer.from(first, "base64url"),
      );
      expect(model.intact(digests, { eachRow: true })).toEqual(digests.filter((digest) => digest !== first));
      const copied = (source === "the same file" ? model : other).blobs.get(digests);
      model.database.write(() => model.blobs.add(2, copied));
      expect(model.intact(digests, { eachRow: true })).toEqual(digests);
      model.do({ thread: 1, kind: "disown" });
      expect(model.intact(digests, { eachRow: true })).toEqual(digests);
      for (const { database } of [model, other]) database.close();
    },
  );

  it("does not replace an intact row by a damaged value", () => {
    const model = new Model();
    const digest = digestOf(values[0] ?? Buffer.alloc(0));
    model.do({ thread: 1, kind: "add", values: values.slice(0, 1) });
    model.database.write(() => model.blobs.add(2, new Map([[digest, pack(Buffer.from("damaged"))]])));
    expect(model.intact([digest], { eachRow: true })).toEqual([digest]);
    model.database.close();
  });
});
