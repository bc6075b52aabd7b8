import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { pin } from "@palimpsest/context";
import type { ModelStep, Settings, Size } from "./script.js";

/** Where a message belongs: the move, the call of the model in it, and the result. */
export interface Place {
  readonly move: number;
  readonly step: number;
}

const shares: Readonly<Record<Size, number>> = { small: 0.012, medium: 0.1, large: 0.35, huge: 1.3 };

const words =
  "alpha river stone copper ledger harbor violet signal winter matrix lantern orchid cobalt meadow cipher falcon".split(
    " ",
  );

/** Returns the word that stands in one version of one message alone. */
function wordOf(name: string): string {
  return `word-${name.replaceAll(".", () => "-")}-end`;
}

/** Returns the word of a message as it is. */
export function wordIn({ content, id = "" }: BaseMessage): string {
  return /word-[\w-]+?-end/.exec(JSON.stringify(content))?.[0] ?? wordOf(id);
}

/** Returns lines of about `tokens` tokens, which begin with the word of the message. */
function textOf(name: string, tokens: number): string {
  const lines: string[] = [`${wordOf(name)} begins`];
  let seed = 17;
  for (let at = 0; at < name.length; at++) seed = (seed * 31 + name.charCodeAt(at)) % 99_991;
  for (let count = 6; count < tokens; count += 12) {
    const line: string[] = [];
    for (let index = 0; index < 5; index++) {
      seed = (seed * 48_271 + 11) % 2_147_483_647;
      line.push(`${words[seed % words.length] ?? ""}${seed % 997}`);
    }
    lines.push(line.join(" "));
  }
  return lines.join("\n");
}

/** Makes the messages of a play. The same place gives the same message. */
export class Texts {
  constructor(readonly settings: Settings) {}

  /** Returns the user's message of a move. Every third one is marked where marks pin. */
  user(move: number, size: Size): BaseMessage {
    const message = new HumanMessage({ id: `u${move}`, content: this.#text(`u${move}`, size) });
    return this.settings.pins === "mark" && move % 3 === 1 ? pin(message) : message;
  }

  reply({ move, step }: Place, { calls, thinking }: ModelStep, usage: number | undefined): AIMessage {
    const id = `a${move}.${step}`;
    const text = calls.length === 0 ? this.#text(id, "small") : "";
    const thought = { type: "thinking", thinking: `Thought ${id}`, signature: `signature-${id}` };
    const blocks = text === "" ? [thought] : [thought, { type: "text", text }];
    return new AIMessage({
      id,
      content: thinking ? blocks : text,
      response_metadata: { model_name: "claude-opus-5" },
      tool_calls: calls.map((_, index) => ({
        type: "tool_call" as const,
        id: callIdOf({ move, step }, index),
        ...toolOf(index, move),
      })),
      ...(usage === undefined
        ? {}
        : { usage_metadata: { input_tokens: usage, output_tokens: 9, total_tokens: usage + 9 } }),
    } as never);
  }

  result({ move, step }: Place, size: Size, index: number): ToolMessage {
    const id = `r${move}.${step}.${index}`;
    const message = new ToolMessage({
      id,
      tool_call_id: callIdOf({ move, step }, index),
      name: toolOf(index, move).name,
      content: this.#text(id, size),
      ...(index === 2 ? { status: "error" as const } : {}),
    });
    return this.settings.pins === "mark" && move % 3 === 2 && index === 0 ? pin(message) : message;
  }

  /** Returns what a host puts in place of a message. */
  edited(message: BaseMessage, move: number): BaseMessage {
    const { id = "" } = message;
    const content = this.#text(`${id}.e${move}`, "small");
    if (ToolMessage.isInstance(message)) {
      const { tool_call_id: callId, name = "look" } = message;
      return new ToolMessage({ id, tool_call_id: callId, name, content });
    }
    return message.getType() === "ai" ? new AIMessage({ id, content }) : new HumanMessage({ id, content });
  }

  inserted(move: number): BaseMessage {
    return new HumanMessage({ id: `i${move}`, content: this.#text(`i${move}`, "small") });
  }

  #text(name: string, size: Size): string {
    return textOf(name, shares[size] * this.settings.window);
  }
}

function callIdOf({ move, step }: Place, index: number): string {
  return `call-${move}-${step}-${index}`;
}

/** Returns name and arguments of a call: every fourth move reads the file that `files` pins, in its first call. */
function toolOf(index: number, move: number) {
  const isRule = index === 0 && move % 4 === 1;
  return isRule
    ? { name: "read_rules", args: { path: "/AGENTS.md" } }
    : { name: "look", args: { index, move } };
}

/** Returns true for a message that the settings pin by their options or by its mark. Pure. */
export function isPinned(message: BaseMessage, { pins }: Settings): boolean {
  const { id = "" } = message;
  const move = Number(/^[uari](\d+)/.exec(id)?.[1] ?? 0);
  if (pins === "predicate") return id.startsWith("u") && move % 3 === 1;
  if (pins === "user") return message.getType() === "human";
  if (pins === "mark") return isMarked(message);
  if (pins === "tools" || pins === "files")
    return ToolMessage.isInstance(message) && message.name === "read_rules";
  return false;
}

function isMarked({ additional_kwargs: fields }: BaseMessage): boolean {
  return fields["palimpsest_pin"] === true;
}
