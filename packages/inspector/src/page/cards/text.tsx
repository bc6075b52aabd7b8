import { useState } from "preact/hooks";
import { count, plain } from "../format.js";

/** Lines of a text that are shown until the reader asks for more. */
const firstLines = 8;
const firstCharacters = 700;
/** A shorter rest is shown at once. */
const worthHiding = 200;

export interface TextProps {
  readonly text: string;
  readonly characters?: number;
  /** Loads the whole text, when `text` is its beginning. */
  readonly whole?: (() => Promise<string>) | undefined;
  readonly kind?: string;
}

/** A text as plain text: markup in it has no effect. */
export function Text({ text, characters = text.length, whole, kind = "" }: TextProps) {
  const [shown, setShown] = useState<string | undefined>(undefined);
  const start = text.split("\n", firstLines).join("\n").slice(0, firstCharacters);
  const first = characters - start.length < worthHiding ? text : start;
  const current = shown ?? first;
  const more = characters - current.length;
  const expand = async (): Promise<void> => setShown(whole ? await whole() : text);
  return (
    <div class={`text ${kind}`}>
      <pre dir="auto">{plain(current)}</pre>
      {more > 0 && (
        <button class="link more" onClick={() => void expand()} disabled={shown !== undefined}>
          {shown === undefined ? `${count(more)} more characters` : `${count(more)} characters not shown`}
        </button>
      )}
      {shown !== undefined && more <= 0 && characters > first.length && (
        <button class="link more" onClick={() => setShown(undefined)}>
          less
        </button>
      )}
    </div>
  );
}
