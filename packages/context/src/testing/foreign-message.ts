import { BaseMessage } from "@langchain/core/messages";

/** A message class that LangChain does not know, as a host of its own may use it. */
export class ForeignMessage extends BaseMessage {
  readonly type = "developer" as never;

  static override lc_name(): string {
    return "ForeignMessage";
  }
}
