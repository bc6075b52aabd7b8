import { JsonPlusSerializer } from "@langchain/langgraph-checkpoint";

/** The host's own serializer, for what the codec has no form of its own for. */
export class HostSerializer extends JsonPlusSerializer {
  /** Returns the text of a value, before anything else can change it. */
  // oxlint-disable-next-line no-underscore-dangle -- the one synchronous way into the host's serializer
  readonly toText = (value: object): string => Buffer.from(this._dumps(value)).toString();

  readonly fromText = async (text: string): Promise<unknown> => this.loadsTyped("json", text);
}
