import type { Difference, PromptView } from "../view.js";
import { differences, type Compared } from "./differences.js";

/** What a call was sent beside its messages. */
export interface Prompt {
  readonly systemPrompt: string;
  readonly tools: readonly ShownTool[];
}

export interface ShownTool {
  readonly name: string;
  readonly description: string;
  /** JSON: the schema of the arguments, or the whole definition of a tool in another form. */
  readonly schema: string;
}

/** Returns the content of a file of prompts; undefined for other text. Pure. */
export function promptIn(text: string): Prompt | undefined {
  try {
    const { systemPrompt, tools } = JSON.parse(text) as {
      readonly systemPrompt: unknown;
      readonly tools: unknown;
    };
    return typeof systemPrompt === "string" && Array.isArray(tools)
      ? { systemPrompt, tools: tools.map(toolIn) }
      : undefined;
  } catch {
    return undefined;
  }
}

function toolIn(tool: unknown): ShownTool {
  const { name, type, description, parameters = tool } = (tool ?? {}) as Record<string, unknown>;
  const called = [name, type].find((one) => typeof one === "string") ?? "tool";
  const told = typeof description === "string" ? description : "";
  return { name: called, description: told, schema: JSON.stringify(parameters, undefined, 2) ?? "" };
}

/** Returns the sizes of a prompt and where it is; null for text that is none. Pure. */
export function promptView(path: string, text: string): PromptView | null {
  const prompt = promptIn(text);
  return prompt === undefined
    ? null
    : { path, characters: prompt.systemPrompt.length, tools: prompt.tools.length };
}

/** Returns what changed in the system prompt and in the tools. Pure. */
export function promptDifferences(before: string, after: string): readonly Difference[] {
  if (before === after) return [];
  const [one, other] = [promptIn(before), promptIn(after)];
  return [
    ...differences(systemOf(one), systemOf(other), "system prompt"),
    ...differences(toolsOf(one), toolsOf(other), "tool"),
  ];
}

function systemOf({ systemPrompt = "" }: Partial<Prompt> = {}): Compared {
  return new Map(systemPrompt === "" ? [] : [["", { whole: systemPrompt, text: systemPrompt }]]);
}

function toolsOf({ tools = [] }: Partial<Prompt> = {}): Compared {
  return new Map(
    tools.map(({ name, description, schema }) => [
      name,
      { whole: `${description}\n${schema}`, text: description },
    ]),
  );
}
