import type { BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { textArbitrary } from "./text-arbitrary.js";

/** A message before it has an id: histories are built from drafts, so that ids follow the final order. */
export interface Draft {
  readonly kind: "system" | "human" | "ai" | "result" | "foreign";
  readonly build: (id: string | undefined) => BaseMessage;
}

/** Returns the id as a field for a constructor; no field where it is undefined. */
export function idField(id: string | undefined): { id?: string } {
  return id === undefined ? {} : { id };
}

/** A tool call without its id. The arguments of a `broken` call are not valid JSON. */
export interface CallDraft {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly broken: boolean;
}

/** Arguments are parsed from JSON, so their objects have the usual prototype. */
const plain = { noNullPrototype: true };

/** Returns calls of file tools on the same few files, so that writes make reads stale, and of other tools. */
export function callArbitrary(): fc.Arbitrary<CallDraft> {
  const path = fc.constantFrom("src/a.ts", "/notes.md");
  const texts = fc.record({ words: fc.array(textArbitrary(), { maxLength: 3 }) }, plain);
  const odd = fc.dictionary(
    fc.constantFrom("filter", "constructor", "a.b"),
    fc.constantFrom("x", 1, null),
    plain,
  );
  return fc.oneof(
    { weight: 4, arbitrary: call("read_file", fc.record({ path }, plain)) },
    {
      weight: 3,
      arbitrary: call("write_file", fc.record({ file_path: path, content: textArbitrary() }, plain)),
    },
    { weight: 2, arbitrary: call("search", fc.record({ query: textArbitrary(), options: texts }, plain)) },
    { weight: 1, arbitrary: call("runTests", odd) },
    { weight: 1, arbitrary: call("../../etc/passwd $&", fc.constant({})) },
  );
}

function call(name: string, args: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<CallDraft> {
  const broken = fc.integer({ min: 0, max: 9 }).map((dice) => dice === 9);
  return fc.tuple(args, broken).map(([args, broken]) => ({ name, args, broken }));
}
