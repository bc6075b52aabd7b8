import { useState } from "preact/hooks";
import type { MessageView } from "../../view.js";
import { speaker } from "../../shared/speaker.js";
import { count, plain } from "../format.js";
import type { Source } from "../source/source.js";

export interface MessageCardProps {
  readonly source: Source;
  readonly thread: string;
  readonly message: MessageView;
  readonly isSelected?: boolean;
  readonly onSelect?: (() => void) | undefined;
}

/** Lines of a text that are shown until the reader asks for more. */
const firstLines = 8;
const firstCharacters = 700;
/** A shorter rest is shown at once. */
const worthHiding = 200;

/** One message: who speaks, what it costs, its text and its calls. */
export function MessageCard({ source, thread, message, isSelected, onSelect }: MessageCardProps) {
  const { type, name, tokens, part, calls, reasoning, place } = message;
  return (
    <article class={`card part-${part}${isSelected === true ? " selected" : ""}`}>
      <header>
        <span class="swatch" />
        <b>{speaker(type)}</b>
        {name !== null && <code>{plain(name)}</code>}
        <span class="spacer" />
        <span class="dim">{count(tokens)} tokens</span>
        {place !== null && (
          <button class="link" onClick={onSelect} title="Mark the steps that showed it">
            #{place + 1}
          </button>
        )}
      </header>
      {reasoning !== "" && <Text text={reasoning} kind="reasoning" />}
      {message.characters > 0 && (
        <Text
          text={message.text}
          whole={
            message.characters > message.text.length && place !== null && message.fold === null
              ? async () => (await source.text(thread, place)).text
              : undefined
          }
          characters={message.characters}
        />
      )}
      {calls.map((call, index) => (
        <pre key={index} class="call">
          <b>{plain(call.name)}</b> {plain(call.args).slice(0, 600)}
        </pre>
      ))}
    </article>
  );
}

interface TextProps {
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
