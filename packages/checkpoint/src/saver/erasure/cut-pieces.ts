import { anyOf, escaped } from "./text-forms.js";

/** Characters from which on a piece of a text is erased. */
const minPiece = 8;

/** What stands behind a text that was cut, and before one. */
const beforeCut = /^(?:[\n…[\\"]|\.\.\.|$)/;
const afterCut = /(?:^|[\n…\]"]|\\n|\.\.\.)$/;

/** A span of a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the beginning or the end of texts, at least half of them, where previews and quotations have cut them: at a mark of omission,
 * and at the end or the beginning of a line. Leaves out texts with spaces, whose words stand elsewhere too.
 */
export class CutPieces {
  /** What is in each piece, by the texts that it is from. */
  readonly #beginnings = new Map<string, string[]>();
  readonly #ends = new Map<string, string[]>();
  readonly #expressions: readonly [beginnings: readonly RegExp[], ends: readonly RegExp[]];

  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const least = Math.max(minPiece, Math.ceil(text.length / 2));
      if (text.length <= least || /\s/.test(text)) continue;
      add(this.#beginnings, text.slice(0, least), text);
      add(this.#ends, text.slice(-least), text);
    }
    const expressions = [this.#beginnings, this.#ends].map((pieces) =>
      anyOf([...pieces.keys()].map(escaped)),
    );
    this.#expressions = [expressions[0] ?? [], expressions[1] ?? []];
  }

  /** Texts of which one stands in every piece. */
  get parts(): readonly string[] {
    return [...this.#beginnings.keys(), ...this.#ends.keys()];
  }

  /** Returns a text with a tombstone in the place of each piece. */
  without(text: string, tombstone: string): string {
    const [beginnings, ends] = this.#expressions;
    const spans = [
      ...found(text, beginnings).flatMap(({ index, 0: part }) => this.#beginningAt(text, index, part)),
      ...found(text, ends).flatMap(({ index, 0: part }) => this.#endAt(text, index, part)),
    ];
    let [redacted, done] = ["", 0];
    for (const { start, end } of spans.toSorted((one, other) => one.start - other.start)) {
      if (start < done) continue;
      redacted += text.slice(done, start) + tombstone;
      done = end;
    }
    return done === 0 ? text : redacted + text.slice(done);
  }

  #beginningAt(text: string, start: number, part: string): readonly Span[] {
    return (this.#beginnings.get(part) ?? []).flatMap((whole) => {
      let length = part.length;
      while (length < whole.length && text[start + length] === whole[length]) length += 1;
      const end = start + length;
      return beforeCut.test(text.slice(end, end + 3)) ? [{ start, end }] : [];
    });
  }

  #endAt(text: string, at: number, part: string): readonly Span[] {
    return (this.#ends.get(part) ?? []).flatMap((whole) => {
      let [start, left] = [at, whole.length - part.length];
      while (left > 0 && text[start - 1] === whole[left - 1]) [start, left] = [start - 1, left - 1];
      const end = at + part.length;
      return afterCut.test(text.slice(Math.max(0, start - 3), start)) ? [{ start, end }] : [];
    });
  }
}

function add(pieces: Map<string, string[]>, part: string, text: string): void {
  pieces.set(part, [...(pieces.get(part) ?? []), text]);
}

function found(text: string, expressions: readonly RegExp[]): readonly RegExpExecArray[] {
  return expressions.flatMap((expression) => [...text.matchAll(expression)]);
}
