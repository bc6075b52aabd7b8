import { isUtf8 } from "node:buffer";
import { globally, type EraseMatch } from "./erase-options.js";
import { TextFilter } from "./text-filter.js";
import { CutPieces } from "./cut-pieces.js";
import { anyOf, base64Forms, escaped, formsOf, withoutBase64 } from "./text-forms.js";

/** Matches the path of a file of an archive in a text. */
export const archivePath = /\/context\/[\w./-]*\w/g;

/** What to look for, made ready once. */
interface Search {
  readonly tombstone: string;
  readonly texts: ReadonlySet<string>;
  /** Of what stands for the texts: where it finds none, no expression for them is tried. */
  readonly filter: TextFilter;
  readonly encoded: readonly RegExp[];
  readonly forms: readonly RegExp[];
  readonly pieces: CutPieces;
  readonly given: readonly RegExp[];
}

export interface RedactionOptions {
  /** Paths of archive files that occur in texts, and those to put in their place. @default none */
  readonly renamed?: ReadonlyMap<string, string>;
  /** Also erases what previews and quotations have left of a text where they cut it. @default false */
  readonly pieces?: boolean;
  /** Counts what is erased. @default nothing does */
  readonly tally?: Tally;
}

/** What was erased so far. */
export interface Tally {
  /** Tombstones that were put in place of something. */
  texts: number;
  /** Bytes, as UTF-8, in whose place they are. */
  bytes: number;
}

/** Puts a tombstone in the place of what matches, in texts and in bytes. */
export class Redaction {
  readonly tombstone: string;
  readonly #search: Search;
  readonly #options: RedactionOptions;

  private constructor(search: Search, options: RedactionOptions) {
    this.tombstone = search.tombstone;
    this.#search = search;
    this.#options = options;
  }

  static of(matches: readonly EraseMatch[], tombstone: string): Redaction {
    const texts = matches.filter((match) => typeof match === "string");
    const forms = texts.flatMap(formsOf);
    const encoded = texts.flatMap(base64Forms);
    const pieces = new CutPieces(texts);
    const search = {
      tombstone,
      texts: new Set(texts),
      filter: new TextFilter([...forms, ...encoded, ...pieces.parts]),
      encoded: anyOf(encoded.map(escaped)),
      forms: anyOf(forms.map(escaped)),
      pieces,
      given: matches.filter((match) => typeof match !== "string").map(globally),
    };
    return new Redaction(search, {});
  }

  with(options: RedactionOptions): Redaction {
    return new Redaction(this.#search, { ...this.#options, ...options });
  }

  /** Returns the text without what matches, and the same text where nothing does. */
  text(text: string): string {
    const named = this.#named(text);
    const redacted = this.#redacted(named);
    if (redacted !== named) this.#count(named, redacted);
    return redacted;
  }

  #named(text: string): string {
    const { renamed } = this.#options;
    if (renamed === undefined || renamed.size === 0 || !text.includes("/context/")) return text;
    return text.replace(archivePath, (path) => renamed.get(path) ?? path);
  }

  #redacted(text: string): string {
    const { pieces = false } = this.#options;
    const { filter, encoded, forms, given } = this.#search;
    let redacted = text;
    if (filter.mayHold(redacted)) {
      for (const expression of encoded) redacted = withoutBase64(redacted, expression, this.tombstone);
      redacted = this.#without(forms, redacted);
      if (pieces) redacted = this.#search.pieces.without(redacted, this.tombstone);
    }
    return this.#without(given, redacted);
  }

  /** Returns the bytes without what matches, and the same bytes where nothing does. Bytes that are no text go as a whole. */
  bytes(bytes: Uint8Array): Uint8Array {
    const isText = isUtf8(bytes);
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(
      isText ? "utf8" : "latin1",
    );
    if (isText) {
      const redacted = this.text(text);
      return redacted === text ? bytes : Buffer.from(redacted);
    }
    if (this.#redacted(this.#named(text)) === text) return bytes;
    const { tally } = this.#options;
    if (tally !== undefined) [tally.texts, tally.bytes] = [tally.texts + 1, tally.bytes + bytes.length];
    return Buffer.from(this.tombstone);
  }

  /** True for a number that is one of the texts, such as that of a telephone. */
  isNumber(value: number | bigint): boolean {
    return this.#search.texts.has(String(value));
  }

  #count(text: string, redacted: string): void {
    const { tally } = this.#options;
    if (tally === undefined) return;
    const tombstones = (of: string) => of.split(this.tombstone).length - 1;
    const texts = tombstones(redacted) - tombstones(text);
    const shorter = Buffer.byteLength(text) - Buffer.byteLength(redacted);
    tally.texts += texts;
    tally.bytes += shorter + texts * Buffer.byteLength(this.tombstone);
  }

  #without(expressions: readonly RegExp[], text: string): string {
    return expressions.reduce((left, expression) => left.replace(expression, this.tombstone), text);
  }
}
