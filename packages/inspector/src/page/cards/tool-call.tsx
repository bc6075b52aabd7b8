import type { ToolCallView } from "../../view.js";
import { plain } from "../format.js";
import { lineDiff } from "./line-diff.js";
import { Text } from "./text.js";

export interface ToolCallProps {
  readonly call: ToolCallView;
  /** Loads all arguments as JSON, when the call has only their beginning. */
  readonly whole: (() => Promise<string>) | undefined;
}

/** A tool call with all its arguments: an edit as a difference, long texts such as the content of a file as text. */
export function ToolCall({ call: { name, args, characters }, whole }: ToolCallProps) {
  const fields = parsed(args);
  if (fields === undefined)
    return (
      <div class="call">
        <b>{plain(name)}</b>
        <Text text={args} characters={characters} whole={whole} />
      </div>
    );
  const { old_string: before, new_string: after, ...rest } = fields;
  const isEdit = typeof before === "string" && typeof after === "string";
  const all = Object.entries(isEdit ? rest : fields);
  const short = all.filter(([, value]) => !isLong(value));
  return (
    <div class="call">
      <pre dir="auto">
        <b>{plain(name)}</b> {short.map(([key, value]) => `${plain(key)}: ${plain(json(value))}`).join(", ")}
      </pre>
      {isEdit && <Diff before={before} after={after} />}
      {all.map(
        ([key, value]) =>
          isLong(value) && (
            <div key={key}>
              <span class="dim">{plain(key)}</span>
              <Text text={typeof value === "string" ? value : JSON.stringify(value, undefined, 2)} />
            </div>
          ),
      )}
    </div>
  );
}

/** Characters of a value beside its name. */
const longest = 120;

function isLong(value: unknown): boolean {
  return typeof value === "string"
    ? value.length > longest || value.includes("\n")
    : json(value).length > longest;
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

function parsed(args: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  return (
    <pre class="diff" dir="auto">
      {lineDiff(before, after).map(({ sign, text }, at) => (
        <span key={at} class={sign === "+" ? "plus" : sign === "-" ? "minus" : "same"}>
          {`${sign} ${plain(text)}\n`}
        </span>
      ))}
    </pre>
  );
}
