import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factNames, readLedger, sayLedger } from "./ledger.js";

const name = fc.constantFrom("zod", "@langchain/core", "p-queue");
const value = fc.stringMatching(/^\S(?:[\x20-\x7e]*\S)?$/);
const known = fc.dictionary(fc.constantFrom(...factNames, "found at"), value);
const activity = fc.constantFrom("reading the manifest of zod", "collecting facts for the report");

describe("the ledger", () => {
  it("is read back as it was said", () => {
    fc.assert(
      fc.property(activity, fc.array(fc.tuple(name, known)), (doing, entries) => {
        const ledger = { activity: doing, known: new Map(entries) };
        expect(readLedger(sayLedger(ledger))).toEqual(ledger);
      }),
    );
  });

  it("is not read from other words", () => {
    expect(readLedger("A good moment to tidy up.")).toBeUndefined();
  });
});
