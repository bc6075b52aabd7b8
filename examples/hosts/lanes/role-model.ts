import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/** What an agent does in a turn: the calls that it makes, or undefined when it has nothing to call. */
export type Turn = (asked: string) => Promise<readonly Call[] | undefined> | readonly Call[] | undefined;

export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A chat model with a role: makes the calls of a turn once, notes what they have returned, and says so. */
export class RoleModel extends BaseChatModel {
  /** Results of its calls, by the tool. */
  readonly results: (readonly [tool: string, text: string])[] = [];
  readonly prompts: (readonly BaseMessage[])[] = [];

  constructor(
    readonly role: string,
    readonly turn: Turn,
  ) {
    super({});
  }

  override get profile() {
    return { maxInputTokens: 100_000 };
  }

  override _llmType(): string {
    return "role";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.prompts.push([...messages]);
    const asked = messages.findLastIndex((message) => message.getType() === "human");
    const since = messages.slice(asked + 1);
    const own = since.filter((message) => ToolMessage.isInstance(message) && this.#isOwn(message));
    this.results.push(...own.map(({ name = "", text }): [string, string] => [name, text]));
    const calls = own.length > 0 ? undefined : await this.turn(messages[asked]?.text ?? "");
    const message =
      calls === undefined ? new AIMessage(`${this.role} is done.`) : this.#calling(calls, messages.length);
    return { generations: [{ text: message.text, message }] };
  }

  #isOwn({ tool_call_id: id }: ToolMessage): boolean {
    return id.startsWith(`${this.role}-`);
  }

  #calling(calls: readonly Call[], turn: number): AIMessage {
    const tool_calls = calls.map(({ name, args }, at) => ({
      id: `${this.role}-${turn}-${at}`,
      name,
      args: { ...args },
    }));
    return new AIMessage({ content: "", tool_calls });
  }
}
