import type { BaseMessage } from "@langchain/core/messages";

/** What came in, by the form that readers see. */
const originals = new WeakMap<BaseMessage, BaseMessage>();

/** Returns the message as it came in, which is what goes to the archive, to the state and to the model. */
export function originalMessage<Message extends BaseMessage>(message: Message): Message {
  return originals.has(message) ? (originals.get(message) as Message) : message;
}

/** Returns the messages as they came in; the same array where all are. */
export function originalMessages(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  return messages.some((message) => originals.has(message)) ? messages.map(originalMessage) : messages;
}

/** Records which message a form of it stands for. */
export function standsFor(form: BaseMessage, original: BaseMessage): void {
  originals.set(form, original);
}
