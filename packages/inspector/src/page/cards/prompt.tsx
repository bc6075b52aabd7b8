import { promptIn, type Prompt } from "../../shared/prompt.js";
import type { PromptView, StepView } from "../../view.js";
import { counted, plain } from "../format.js";
import type { Source } from "../source/source.js";
import { useLoaded } from "../source/use-loaded.js";
import { Text } from "./text.js";

export interface PromptTextProps {
  readonly source: Source;
  readonly thread: string;
  readonly step: StepView;
  readonly prompt: PromptView;
}

/** Names what was sent beside the messages. */
export function promptTitle({ characters, tools }: PromptView): string {
  const parts = [
    ...(characters > 0 ? ["system prompt"] : []),
    ...(tools > 0 ? [counted(tools, "tool")] : []),
  ];
  return parts.join(", ");
}

/** What was sent beside the messages: the system prompt, and each tool with its description and the schema of its arguments. */
export function PromptText({ source, thread, step, prompt: { path } }: PromptTextProps) {
  const at = step.row.id;
  const { value, error } = useLoaded(async () => source.file(thread, at, path), [thread, path]);
  if (error !== "") return <p class="error">{plain(error)}</p>;
  if (value === undefined) return <p class="dim pad">opening …</p>;
  const prompt = promptIn(value.text);
  return (
    <article class="card part-system prompt">
      {prompt === undefined ? (
        <Text text={value.text} characters={value.characters} />
      ) : (
        <Parts {...prompt} />
      )}
    </article>
  );
}

function Parts({ systemPrompt, tools }: Prompt) {
  return (
    <>
      {systemPrompt !== "" && <Text text={systemPrompt} />}
      {tools.map(({ name, description, schema }, at) => (
        <details key={at}>
          <summary>
            <code>{plain(name)}</code> <span class="dim">{plain(description)}</span>
          </summary>
          <Text text={schema} />
        </details>
      ))}
    </>
  );
}
