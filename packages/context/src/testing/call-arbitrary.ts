import fc from "fast-check";
import { textArbitrary } from "./text-arbitrary.js";

/** A tool call without its id. `broken` calls have arguments that are no JSON. */
export interface CallDraft {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly broken: boolean;
}

/** Returns calls of file tools on a few files, so that reads and writes meet, and of other tools. */
export function callArbitrary(): fc.Arbitrary<CallDraft> {
  const path = fc.constantFrom("src/a.ts", "src/b.ts", "/notes.md");
  return fc.oneof(
    call("read_file", fc.record({ path, offset: fc.constantFrom(0, 100) })),
    call("write_file", fc.record({ file_path: path, content: textArbitrary() })),
    call("search", fc.record({ query: textArbitrary(), options: fc.record({ words: fc.array(textArbitrary()) }) })),
    call("runTests", fc.dictionary(fc.constantFrom("filter", "constructor", "a.b"), fc.constantFrom("x", 1, null))),
    call("../../etc/passwd $&", fc.constant({})),
  );
}

function call(name: string, args: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<CallDraft> {
  const broken = fc.integer({ min: 0, max: 9 }).map((dice) => dice === 9);
  return fc.tuple(args, broken).map(([args, broken]) => ({ name, args, broken }));
}
