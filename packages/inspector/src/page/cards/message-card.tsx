import type { MessageView } from "../../view.js";
import { speaker } from "../../shared/speaker.js";
import { count, plain } from "../format.js";
import type { Source } from "../source/source.js";
import { CopyButton } from "./copy-button.js";
import { Text } from "./text.js";
import { ToolCall } from "./tool-call.js";

export interface MessageCardProps {
  readonly source: Source;
  readonly thread: string;
  readonly message: MessageView;
  readonly isSelected?: boolean;
  readonly onSelect?: (() => void) | undefined;
}

/** One message: who speaks, what it costs, its text and its calls. */
export function MessageCard({ source, thread, message, isSelected, onSelect }: MessageCardProps) {
  const { type, name, tokens, part, calls, reasoning, place, text, characters, isFailed } = message;
  const isThere = place !== null && message.fold === null;
  const whole = async (): Promise<string> =>
    isThere && characters > text.length ? (await source.text(thread, place)).text : text;
  const wholeCall = async (at: number): Promise<string> =>
    isThere && (calls[at]?.characters ?? 0) > (calls[at]?.args.length ?? 0)
      ? (await source.text(thread, place, at)).text
      : (calls[at]?.args ?? "");
  const copied = async (): Promise<string> => {
    const args = await Promise.all(calls.map(async ({ name }, at) => `${name} ${await wholeCall(at)}`));
    return [await whole(), ...args].filter((part) => part !== "").join("\n");
  };
  return (
    <article class={`card part-${part}${isSelected === true ? " selected" : ""}${isFailed ? " fault" : ""}`}>
      <header>
        <span class="swatch" />
        <b>{speaker(type)}</b>
        {name !== null && <code>{plain(name)}</code>}
        {isFailed && <b class="failed">failed</b>}
        <span class="spacer" />
        <CopyButton text={copied} label="Copy the message">
          copy
        </CopyButton>
        <span class="dim">{count(tokens)} tokens</span>
        {place !== null && (
          <button class="link" onClick={onSelect} title="Mark the steps that showed it">
            #{place + 1}
          </button>
        )}
      </header>
      {reasoning !== "" && <Text text={reasoning} kind="reasoning" />}
      {characters > 0 && (
        <Text
          text={text}
          whole={characters > text.length && isThere ? whole : undefined}
          characters={characters}
        />
      )}
      {calls.map((call, at) => (
        <ToolCall key={at} call={call} whole={isThere ? async () => wholeCall(at) : undefined} />
      ))}
    </article>
  );
}
