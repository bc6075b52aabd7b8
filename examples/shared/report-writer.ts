import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";

/** An offline model with one habit: asked to "Write X to /path", it does so, and says that it did. */
export class ReportWriter extends BaseChatModel {
  constructor() {
    super({});
  }

  override bindTools(): this {
    return this;
  }

  override _llmType(): string {
    return "report-writer";
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const asked = messages.findLast((message) => message.type === "human")?.text ?? "";
    const [, content = "", path = ""] = /^Write (.+) to (\/\S+)$/s.exec(asked) ?? [];
    const isDone = messages.at(-1)?.type === "tool";
    const message = isDone
      ? new AIMessage(`Wrote ${path}.`)
      : new AIMessage({
          content: "",
          tool_calls: [
            { id: crypto.randomUUID(), name: "write_file", args: { path, content: `${content}\n` } },
          ],
        });
    return { generations: [{ text: "", message }] };
  }
}
