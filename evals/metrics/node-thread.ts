import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";

type ThreadConfig = { readonly configurable: { readonly thread_id: string } };
type State = Readonly<Record<string, unknown>>;

/** One of our nodes over a thread of its own: it merges updates as the channel `compaction` does. */
export class NodeThread {
  readonly config: ThreadConfig;
  readonly #node: (state: State, config: ThreadConfig) => Promise<State>;
  state: State = { messages: [] };

  constructor(node: (state: State, config: ThreadConfig) => Promise<State>, id = "thread") {
    this.#node = node;
    this.config = { configurable: { thread_id: id } };
  }

  /** The context as it stands in the state. */
  get messages(): readonly BaseMessage[] {
    return this.state["messages"] as readonly BaseMessage[];
  }

  /** Puts messages behind the others, without a call of the node. */
  add(added: readonly BaseMessage[]): void {
    this.state = { ...this.state, messages: [...this.messages, ...added] };
  }

  /** Adds messages, calls the node, and returns the context for the next call of the model. */
  async step(added: readonly BaseMessage[] = []): Promise<readonly BaseMessage[]> {
    this.add(added);
    const update = await this.#node(this.state, this.config);
    const { messages: list, compaction } = update;
    const messages = Overwrite.isInstance<readonly BaseMessage[]>(list) ? list.value : this.messages;
    const merged =
      compaction === undefined
        ? {}
        : { compaction: { ...(this.state["compaction"] as object), ...compaction } };
    this.state = { ...this.state, ...update, messages, ...merged };
    return messages;
  }
}
